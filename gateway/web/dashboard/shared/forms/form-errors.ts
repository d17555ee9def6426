// Errors of the API beside the fields they are about.
import { ApiFailure } from '../api/failure.js';
import { describeFieldError } from '../text/error-texts.js';
import type { Language } from '../text/language.js';

/** The errors of a form (`useForm().setErrors`), by the `param` of the error. Empty: it is about no field. */
export function findFieldErrors(
  language: Language,
  error: unknown,
  fields: readonly string[],
): Readonly<Record<string, string>> {
  if (!(error instanceof ApiFailure) || error.param === null) return {};
  return fields.includes(error.param) ? { [error.param]: describeFieldError(language, error) } : {};
}
