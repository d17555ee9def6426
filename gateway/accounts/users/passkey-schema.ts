// Request and response schemas of passkeys. The values of `navigator.credentials` have the forms of the WebAuthn
// specification (`toJSON`), which passkey-ceremonies.ts checks.
import { type Static, Type } from '@sinclair/typebox';
import { allowNull, TimeSchema } from '#actors/core/schemas/fields.js';
import { PasskeyAnswerSchema, PasswordSchema } from './schema.js';
import { FactorCodeSchema } from '#gateway/auth/factor-schema.js';
import { buildIdSchema, closed } from '#gateway/routing/schema-parts.js';

const NameSchema = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Chosen by the user, to tell passkeys apart.',
  errorMessage: 'must have 1 to 64 characters',
  examples: ['Laptop kantor'],
});

const CodeSchema = Type.Optional({
  ...FactorCodeSchema,
  description:
    'The current code of the authenticator app, a recovery code, or a code of a passkey (`POST /v1/auth/passkeys/code`). ' +
    'Required if the user has a second factor.',
});

export const Passkey = Type.Object(
  {
    id: buildIdSchema('pkey', 'The passkey.'),
    object: Type.Literal('passkey'),
    name: Type.String({ examples: ['Laptop kantor'] }),
    is_synced: Type.Boolean({ description: 'The authenticator copies it to other devices.' }),
    created_at: TimeSchema,
    last_used_at: allowNull(TimeSchema),
  },
  { title: 'Passkey', description: 'A passkey of a user: a second factor.' },
);

export const PasskeyOptions = Type.Object(
  { challenge: Type.String({ description: 'In base64url. Works once, within 5 minutes.' }) },
  {
    additionalProperties: true,
    title: 'PasskeyOptions',
    description:
      'The options for `navigator.credentials`, in the JSON form of the WebAuthn specification (`parseCreationOptionsFromJSON`, ' +
      '`parseRequestOptionsFromJSON`). More fields than these are in it.',
  },
);

export const BeginPasskeyRequest = Type.Object(
  { current_password: PasswordSchema, totp_code: CodeSchema },
  { ...closed, title: 'BeginPasskeyRequest' },
);
export type BeginPasskeyRequest = Static<typeof BeginPasskeyRequest>;

export const RegisterPasskeyRequest = Type.Object(
  { name: NameSchema, passkey: PasskeyAnswerSchema },
  { ...closed, title: 'RegisterPasskeyRequest' },
);
export type RegisterPasskeyRequest = Static<typeof RegisterPasskeyRequest>;

export const RegisteredPasskey = Type.Object(
  {
    passkey: Passkey,
    recovery_codes: Type.Array(Type.String(), {
      description:
        'With the first second factor of the user: each replaces one code. Shown only once. Empty otherwise.',
      examples: [['0a1b-2c3d-4e5f-6g7h']],
    }),
  },
  { title: 'RegisteredPasskey' },
);

export const RenamePasskeyRequest = Type.Object(
  { name: NameSchema },
  { ...closed, title: 'RenamePasskeyRequest' },
);
export type RenamePasskeyRequest = Static<typeof RenamePasskeyRequest>;

export const RemovePasskeyRequest = Type.Object(
  { current_password: PasswordSchema, code: FactorCodeSchema },
  { ...closed, title: 'RemovePasskeyRequest' },
);
export type RemovePasskeyRequest = Static<typeof RemovePasskeyRequest>;

export const ProvePasskeyRequest = Type.Object(
  { passkey: PasskeyAnswerSchema },
  { ...closed, title: 'ProvePasskeyRequest' },
);
export type ProvePasskeyRequest = Static<typeof ProvePasskeyRequest>;

export const StepUpCode = Type.Object(
  {
    code: Type.String({
      description: 'Replaces one `totp_code` in this session.',
      examples: ['0a1b-2c3d-4e5f-6g7h'],
    }),
    expires_at: TimeSchema,
  },
  { title: 'StepUpCode' },
);
