// Sends a form. An error of the API appears at the field that it is about; any other error is returned, for below the form.
import type { UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { ApiFailure } from '../api/failure.js';
import { describeFieldError } from '../text/error-texts.js';
import { useLanguage } from '../text/language.js';

interface FormRequest<Values, Data> {
  readonly form: UseFormReturnType<Values>;
  readonly send: (values: Values) => Promise<Data>;
  readonly onDone: (data: Data, values: Values) => unknown;
  /** The meaning of a refused value by field, in the language of the person. Others follow from the error code. */
  readonly refusals?: Readonly<Record<string, string>>;
}

interface SentForm {
  readonly submit: (event?: React.FormEvent<HTMLFormElement>) => void;
  readonly isSending: boolean;
  /** About no field of the form. */
  readonly error: Error | null;
}

export function useFormRequest<Values extends object, Data>(
  request: FormRequest<Values, Data>,
): SentForm {
  const { form, send, onDone, refusals = {} } = request;
  const { language } = useLanguage();
  const { mutate, error, isPending } = useMutation({
    mutationFn: send,
    onSuccess: (data, values) => onDone(data, values),
    onError: (failure) => {
      const field = findField(form.getValues(), failure);
      if (field !== null && failure instanceof ApiFailure)
        form.setFieldError(field, refusals[field] ?? describeFieldError(language, failure));
    },
  });
  const isAtField = error !== null && findField(form.getValues(), error) !== null;
  return {
    submit: form.onSubmit((values) => {
      mutate(values);
    }),
    isSending: isPending,
    error: isAtField ? null : error,
  };
}

/** The path of the field, such as `items.0.quantity`; a part of a list belongs to the list. */
function findField(values: object, failure: Error): string | null {
  if (!(failure instanceof ApiFailure) || failure.param === null) return null;
  const [root = '', ...rest] = failure.param.split('.');
  const value = (values as Readonly<Record<string, unknown>>)[root];
  if (value === undefined) return null;
  if (rest.length === 0 || isListOfTexts(value)) return root;
  return reaches(value, rest) ? failure.param : null;
}

const isListOfTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

function reaches(value: unknown, path: readonly string[]): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return value !== undefined;
  if (typeof value !== 'object' || value === null) return false;
  return reaches((value as Readonly<Record<string, unknown>>)[name], rest);
}
