// The code of a second factor in a request.
import { Type } from '@sinclair/typebox';
import { RECOVERY_CODE_FORM } from './tokens.js';

export const FactorCodeSchema = Type.String({
  pattern: `^(?:[0-9]{6}|${RECOVERY_CODE_FORM})$`,
  typedAs: 'code',
  description:
    'The current code of the authenticator app, a recovery code, or a code of a passkey (`POST /v1/auth/passkeys/code`). Each ' +
    'is accepted once. Blanks, dashes and capital letters make no difference.',
  errorMessage: 'must be 6 digits, or a recovery code such as 0a1b-2c3d-4e5f-6g7h',
  examples: ['123456'],
});
