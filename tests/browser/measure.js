// What is measured of a page in the browser itself. Evaluates to an object; `tests/browser/test_looks.py` judges it.
() => {
  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const numbers = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const linear = (part) => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  const luminance = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const ratio = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  // The first ground that lets nothing through. Pages use no half-transparent ones; one would be an error here.
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const [red, green, blue, alpha = 1] = numbers(getComputedStyle(at).backgroundColor);
      if (alpha === 1) return [red, green, blue];
      if (alpha !== 0) throw new Error("a half-transparent ground");
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0] : [255, 255, 255];
  };
  const texts = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    const said = walk.currentNode.textContent.trim();
    if (!said || ["SCRIPT", "NOSCRIPT", "TITLE"].includes(element.tagName) || !shown(element)) continue;
    const style = getComputedStyle(element);
    texts.push({ said: said.slice(0, 40), ratio: ratio(numbers(style.color), ground(element)), size: parseFloat(style.fontSize) });
  }
  for (const field of document.querySelectorAll("input, textarea")) {
    if (!shown(field)) continue;
    const hint = getComputedStyle(field, "::placeholder").color;
    if (field.placeholder) texts.push({ said: field.placeholder, ratio: ratio(numbers(hint), ground(field)), size: 16 });
  }
  const fields = [...document.querySelectorAll("input:not([type=hidden]), textarea, select")];
  const actions = [...document.querySelectorAll("a, button, summary")].filter(shown);
  return {
    wide: document.documentElement.scrollWidth - innerWidth,
    texts,
    unlabelled: fields.filter((field) => ![...field.labels].some((label) => label.innerText.trim())).map((field) => field.outerHTML),
    unnamed: actions.filter((action) => !action.textContent.trim() && !action.ariaLabel).map((action) => action.outerHTML),
    // WCAG 2.2, 2.5.8: links within a line of text are excepted.
    small: actions.filter((action) => action.matches("button, summary, .button, nav a") && action.getBoundingClientRect().height < 24).map((action) => action.outerHTML),
    headings: [...document.querySelectorAll("h1, h2, h3, h4")].filter(shown).map((heading) => Number(heading.tagName[1])),
    landmarks: ["header", "main"].map((name) => document.querySelectorAll(name).length),
    language: document.documentElement.lang,
    title: document.title,
    ids: [...document.querySelectorAll("[id]")].map((element) => element.id),
    foreign: [...document.querySelectorAll("[src], link[href]")].map((e) => e.src || e.href).filter((url) => new URL(url).origin !== location.origin),
    unheaded: [...document.querySelectorAll("thead th")].filter((cell) => !cell.textContent.trim()).length,
  };
}
