import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import type { Locator, Page } from 'playwright-core';

const MAX_TABS = 60;

/** The keyboard of a person who uses no mouse: each element that gets the focus must show it. */
export class Keyboard {
  constructor(private readonly page: Page) {}

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text);
  }

  press(key: string): Promise<void> {
    return this.page.keyboard.press(key);
  }

  /**
   * Presses Tab and returns the label of the element that has the focus then, of several lines the last one.
   *
   * @throws Error if the focus is not visible
   */
  async tab(key = 'Tab'): Promise<string> {
    await this.press(key);
    const { name, isVisible } = await this.page.evaluate<{ name: string; isVisible: boolean }>(FOCUSED_ELEMENT);
    if (!isVisible) throw new Error(`The focus of "${name}" cannot be seen`);
    return name;
  }

  /** Presses Tab until the element has the focus. */
  async tabTo(element: Locator, key = 'Tab'): Promise<void> {
    await element.waitFor({ state: 'attached' });
    const passed: string[] = [];
    while (passed.length < MAX_TABS) {
      passed.push(await this.tab(key));
      if (await hasFocus(element)) return;
    }
    throw new Error(`${element.toString()} was not reached by way of ${passed.join(', ')}`);
  }
}

export function expectFocus(element: Locator): Promise<void> {
  return waitUntil(`the focus of ${element.toString()}`, () => hasFocus(element));
}

async function hasFocus(element: Locator): Promise<boolean> {
  return (await element.and(element.page().locator(':focus')).count()) > 0;
}

/**
 * The name of the focused element, and whether its focus is visible: by the outline of the element or, for a radio
 * button or switch, of its label, or by a border of it or of its box that is different without the focus.
 */
const FOCUSED_ELEMENT = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return { name: 'nothing', isVisible: true };
  const text = element.getAttribute('aria-label') ?? element.labels?.[0]?.innerText ?? element.innerText;
  const name = text.split('\\n').at(-1);
  const hasOutline = (each) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(each);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1;
  };
  const outlined = [element, element.nextElementSibling, element.parentElement].filter((each) => each !== null);
  if (outlined.some(hasOutline)) return { name, isVisible: true };
  // The border of an invalid field stays red; only its caret shows the focus.
  if (element.getAttribute('aria-invalid') === 'true') return { name, isVisible: true };
  const borderColors = () =>
    [element, element.parentElement].map((each) => {
      for (const animation of each.getAnimations()) animation.finish();
      return getComputedStyle(each).borderColor;
    });
  const focused = borderColors();
  element.blur();
  const isVisible = borderColors().some((color, index) => color !== focused[index]);
  element.focus({ preventScroll: true });
  return { name, isVisible };
})()`;
