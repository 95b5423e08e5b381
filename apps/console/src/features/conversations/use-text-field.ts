import { useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';

/** The longest text that the service accepts. */
export const MAX_TEXT_LENGTH = 2_000;

/** The text of the field for a new message, into which emoji are inserted where the cursor is. */
export function useTextField(
  ref: RefObject<HTMLInputElement | null>,
  initialText: string,
  onText: (text: string) => void,
) {
  const [text, setText] = useState(initialText);
  const change = (value: string) => {
    setText(value);
    onText(value);
  };
  const insert = (inserted: string) => {
    const start = ref.current?.selectionStart ?? text.length;
    const end = ref.current?.selectionEnd ?? start;
    const changed = text.slice(0, start) + inserted + text.slice(end);
    if (changed.length > MAX_TEXT_LENGTH) return;
    // The cursor can be set only when the field has the new text.
    flushSync(() => change(changed));
    ref.current?.setSelectionRange(start + inserted.length, start + inserted.length);
  };
  return { ref, text, change, insert };
}
