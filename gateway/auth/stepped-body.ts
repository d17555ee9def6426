// The body of a change of money in a session: that of the key's route, and `totp_code`, which a change in LIVE needs.
import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import { FactorCodeSchema } from './factor-schema.js';
import { closed } from '../routing/schema-parts.js';
import {
  buildBodySpec,
  buildParsedBodySpec,
  type InputSpec,
  type ValidationError,
} from '../routing/route.js';

export interface SteppedBody<Value> {
  readonly request: Value;
  readonly totpCode: string | undefined;
}

const CODE = {
  totp_code: Type.Optional({
    ...FactorCodeSchema,
    description:
      'The current code of the authenticator app, or a recovery code. Required in LIVE, except for the repeat of a stored request.',
  }),
};
const CODE_BODY = buildBodySpec(Type.Object(CODE));

/** `parse` checks the body without `totp_code`, as the key's route does. */
export function buildSteppedBodySpec<Value extends object, Invalid extends ValidationError>(
  schema: TObject,
  title: string,
  parse: (value: unknown) => Value | Invalid,
): InputSpec<SteppedBody<Value>> {
  const stepped: TSchema = Type.Object({ ...schema.properties, ...CODE }, { ...closed, title });
  return buildParsedBodySpec<SteppedBody<Value>, ValidationError>(stepped, (input) => {
    const { totp_code: code, ...rest }: { readonly totp_code?: unknown } = isObject(input)
      ? input
      : {};
    const checked = CODE_BODY.check(code === undefined ? {} : { totp_code: code });
    if ('code' in checked) return { code: checked.code, param: 'totp_code', ...checked.details };
    const parsed = parse(isObject(input) ? rest : input);
    return isInvalid(parsed) ? parsed : { request: parsed, totpCode: checked.value.totp_code };
  });
}

const isObject = (input: unknown): input is object =>
  typeof input === 'object' && input !== null && !Array.isArray(input);

const isInvalid = <Value extends object, Invalid extends ValidationError>(
  parsed: Value | Invalid,
): parsed is Invalid => 'code' in parsed;
