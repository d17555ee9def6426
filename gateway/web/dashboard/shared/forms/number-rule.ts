// The check of a form before it is sent: a field for a whole number holds one, or nothing.
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';
import { isWholeNumber } from './number-inputs.js';

/** A rule of `useForm().validate`. */
export function useNumberRule(): (value: string) => string | null {
  const { wholeNumber } = useTexts(SHARED_TEXTS);
  return (value) => (isWholeNumber(value) ? null : wholeNumber);
}
