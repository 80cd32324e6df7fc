"""What holds for any page: contrast, names, keyboard, width, origins."""

# Every text that is seen, with the colours that it is seen in.
CONTRAST = r"""
(() => {
  const parts = (colour) => { const found = colour.match(/[\d.]+/g).map(Number); return found.length === 3 ? [...found, 1] : found; };
  const over = (top, below) => [0, 1, 2].map((index) => top[index] * top[3] + below[index] * (1 - top[3])).concat(1);
  const light = (colour) => {
    const [red, green, blue] = colour.slice(0, 3).map((part) => { const share = part / 255; return share <= .04045 ? share / 12.92 : ((share + .055) / 1.055) ** 2.4; });
    return .2126 * red + .7152 * green + .0722 * blue;
  };
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) { const colour = parts(getComputedStyle(at).backgroundColor); layers.push(colour); if (colour[3] === 1) break; }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
  };
  const seen = {};
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (element.closest("style, script, .unseen, .skip")) continue;
    const style = getComputedStyle(element);
    const below = ground(element.closest("svg")?.parentElement ?? element);
    const colour = over(parts(element.closest("svg") ? style.fill : style.color), below);
    const [low, high] = [light(colour), light(below)].sort((one, other) => one - other);
    const ratio = (high + .05) / (low + .05);
    const key = `${colour.map(Math.round)} on ${below.map(Math.round)}`;
    seen[key] ??= { ratio, text: walker.currentNode.textContent.trim().slice(0, 40) };
  }
  return seen;
})()
"""

# Everything that a keyboard must reach, as a path to the element.
REACHABLE = r"""
(() => {
  const all = [...document.querySelectorAll("a[href], button, input, summary, [tabindex='0']")].filter((one) => one.checkVisibility() && !one.disabled && !one.closest("dialog:not([open])"));
  all.forEach((one, index) => { one.dataset.reach = index; });
  return all.length;
})()
"""

FOCUSED = r"""
(() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const style = getComputedStyle(one);
  return { place: one.dataset.reach ?? null, ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1, what: one.outerHTML.slice(0, 80) };
})()
"""

NAMED = {"button", "link", "textbox", "searchbox", "slider", "dialog", "table", "region", "meter", "img", "navigation", "form", "alertdialog"}


def contrast(tab):
    """The texts whose contrast is below 4.5, and the number of pairs of colours."""
    seen = tab.run(CONTRAST)
    return [f"{key}: {one['ratio']:.2f} ({one['text']})" for key, one in seen.items() if one["ratio"] < 4.5], len(seen)


def unnamed(tab):
    """Controls, landmarks and tables without an accessible name, and the number of those that were looked at."""
    nodes = tab.call("Accessibility.getFullAXTree")["nodes"]
    looked = [node for node in nodes if not node.get("ignored") and node.get("role", {}).get("value") in NAMED]
    bad = [node["role"]["value"] for node in looked if not node.get("name", {}).get("value", "").strip()]
    return bad, len(looked)


def unreached(tab):
    """How many elements a keyboard must reach; those that Tab does not reach, and those that show no focus."""
    expected = tab.run(REACHABLE)
    tab.run("document.activeElement.blur(); scrollTo(0, 0)")
    reached, unseen = set(), []
    for _ in range(expected + 20):
        tab.key("Tab", number=9)
        focused = tab.run(FOCUSED)
        if focused is None:
            continue
        if focused["place"] in reached and len(reached) >= expected:
            break
        if focused["place"] is not None:
            reached.add(focused["place"])
            if not focused["ring"]:
                unseen.append(focused["what"])
    missing = tab.run(f"[...document.querySelectorAll('[data-reach]')].filter((one) => !{sorted(reached)}.includes(one.dataset.reach) && one.isConnected && one.checkVisibility()).map((one) => one.outerHTML.slice(0, 120))")
    return expected, missing, unseen


def too_wide(tab):
    """The elements that stand out of the window to the right, where they can be scrolled to."""
    return tab.run("document.documentElement.scrollWidth > innerWidth ? [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 100)).slice(0, 5) : []")


def odd_lists(tab):
    """The groups of names and values that hold other elements."""
    return tab.run("[...document.querySelectorAll('dl > :not(dt, dd, div), dl > div > :not(dt, dd)')].map((one) => one.outerHTML.slice(0, 100))")


def broken_cells(tab):
    """The cells of cards whose value is in several pieces, which the two columns of a card would tear apart."""
    return tab.run("[...document.querySelectorAll('[data-name]')].filter((one) => one.checkVisibility() && one.childNodes.length > 1).map((one) => one.outerHTML.slice(0, 100)).slice(0, 5)")
