// The check of a form before it is sent: a date field holds a day, or nothing.
import { isDay } from '../text/days.js';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';

/** A rule of `useForm().validate`. */
export function useDayRule(): (value: string) => string | null {
  const { wholeDay } = useTexts(SHARED_TEXTS);
  return (value) => (isDay(value) ? null : wholeDay);
}
