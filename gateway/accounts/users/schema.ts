// Request and response schemas of accounts. Source: the API contract, section 4.
import { type Static, Type } from '@sinclair/typebox';
import { EMAIL_PATTERN } from '#actors/core/requests/validation.js';
import { allowNull, TimeSchema } from '#actors/core/schemas/fields.js';
import { Device, DeviceRequest } from '#gateway/auth/device-schema.js';
import { FactorCodeSchema } from '#gateway/auth/factor-schema.js';
import { LINK_TOKEN_PATTERN } from '#gateway/auth/tokens.js';
import { MERCHANT_ROLES, PERMISSIONS, ROLES } from '#gateway/routing/roles.js';
import { buildIdSchema, closed } from '#gateway/routing/schema-parts.js';

export const MIN_PASSWORD = 10;
export const MAX_PASSWORD = 200;

export const EmailSchema = Type.String({
  maxLength: 254,
  pattern: EMAIL_PATTERN,
  errorMessage: 'must be one e-mail address such as owner@toko.example',
  examples: ['owner@toko.example'],
});

export const NewPasswordSchema = Type.String({
  minLength: MIN_PASSWORD,
  maxLength: MAX_PASSWORD,
  typedAs: 'anything',
  description: `${MIN_PASSWORD} to ${MAX_PASSWORD} characters, and not the e-mail address.`,
  errorMessage: `must have ${MIN_PASSWORD} to ${MAX_PASSWORD} characters`,
  examples: ['sepuluh-huruf-atau-lebih'],
});

export const PasswordSchema = Type.String({
  typedAs: 'anything',
  maxLength: 1_000,
  examples: ['sepuluh-huruf-atau-lebih'],
});

const CodeSchema = Type.String({
  pattern: '^[0-9]{6}$',
  typedAs: 'code',
  description:
    'The current code of the authenticator app. Each code is accepted once. Blanks and dashes are ignored.',
  errorMessage: 'must be 6 digits',
  examples: ['123456'],
});

/**
 * Of requests with a credential of a browser. With the longest id of a credential, 1023 bytes, which a registration repeats four
 * times in base64, and a key of 2048 bits it has 7 kB. A usual one has 1 to 2 kB.
 */
export const PASSKEY_BODY_BYTES = 8 * 1024;

/** passkey-ceremonies.ts checks it. */
export const PasskeyAnswerSchema = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'The credential of the browser, as its `toJSON()` gives it.',
  },
);

const TokenSchema = Type.String({
  pattern: LINK_TOKEN_PATTERN,
  description: 'The token in the mailed link.',
  errorMessage: 'must be the token of a mailed link, 43 characters',
  examples: ['x'.repeat(43)],
});

export const RoleSchema = Type.Union(
  MERCHANT_ROLES.map((role) => Type.Literal(role)),
  { errorMessage: `must be one of ${MERCHANT_ROLES.join(', ')}` },
);

export const User = Type.Object(
  {
    id: buildIdSchema('usr', 'The user.'),
    object: Type.Literal('user'),
    email: Type.String({ examples: ['owner@toko.example'] }),
    role: Type.String({ enum: [...ROLES] }),
    status: Type.String({
      enum: ['active', 'invited'],
      description: 'An invited user has no password yet.',
    }),
    email_verified: Type.Boolean(),
    totp_enabled: Type.Boolean({ description: 'With an authenticator app.' }),
    passkeys: Type.Integer({ description: 'Passkeys of the user.' }),
    recovery_codes_left: Type.Integer({ description: 'Recovery codes that were not used yet.' }),
    language: Type.String({ enum: ['id', 'en'], description: 'The language of mails.' }),
    created_at: TimeSchema,
  },
  { title: 'User', description: 'A person who logs in.' },
);

export const VERIFICATION_STATUSES = [
  'UNVERIFIED',
  'PENDING',
  'APPROVED',
  'REJECTED',
  'SUSPENDED',
] as const;
export type VerificationStatus = (typeof VERIFICATION_STATUSES)[number];

const MERCHANT = {
  id: buildIdSchema('mer', 'The merchant.'),
  object: Type.Literal('merchant'),
  business_name: Type.String(),
  verificationStatus: Type.String({ enum: [...VERIFICATION_STATUSES] }),
  liveEnabled: Type.Boolean({
    description: 'LIVE works if this is true and the status is `APPROVED`.',
  }),
  created_at: TimeSchema,
};
export const Merchant = Type.Object(MERCHANT, { title: 'Merchant', description: 'A merchant.' });

export const Me = Type.Object(
  { ...MERCHANT, user: User, role: Type.String({ enum: [...MERCHANT_ROLES] }) },
  { title: 'MerchantOfSession', description: 'The merchant and the user of the session.' },
);

export const SignedIn = Type.Object(
  {
    object: Type.Literal('signed_in_user'),
    session_id: buildIdSchema('ses', 'The session of this request.'),
    user: User,
    merchant: allowNull(Merchant),
    role: Type.String({ enum: [...ROLES] }),
    permissions: Type.Array(Type.String({ enum: Object.keys(PERMISSIONS) }), {
      description: 'What the session may do, by name. More names may be added.',
    }),
    second_factor_required: Type.Boolean({
      description: 'An administrator who must set up a second factor before anything else works.',
    }),
  },
  { title: 'SignedInUser', description: 'The user of the session, and what it may do.' },
);

export const RegisterRequest = Type.Object(
  {
    email: EmailSchema,
    password: NewPasswordSchema,
    business_name: Type.String({ minLength: 1, maxLength: 128, examples: ['Toko Contoh'] }),
  },
  { ...closed, title: 'RegisterMerchantRequest' },
);
export type RegisterRequest = Static<typeof RegisterRequest>;

export const Registered = Type.Object(
  { merchant: Merchant, user: User },
  { title: 'RegisteredMerchant' },
);

export const LoginRequest = Type.Object(
  {
    email: Type.String({ maxLength: 254, examples: ['owner@toko.example'] }),
    password: PasswordSchema,
    totp_code: Type.Optional(FactorCodeSchema),
    passkey: Type.Optional({
      ...PasskeyAnswerSchema,
      description:
        'Instead of `totp_code`: the credential that the browser gave for `passkey_options` of the error.',
    }),
    cookie: Type.Optional(
      Type.Boolean({
        description:
          'For pages of this host: the answer sets the session as a cookie that scripts cannot read, and has no `token`. ' +
          'Another cookie lets later logins of this browser count apart from those of others.',
      }),
    ),
    device: Type.Optional(DeviceRequest),
  },
  { ...closed, title: 'LogInRequest' },
);
export type LoginRequest = Static<typeof LoginRequest>;

export const LoggedIn = Type.Object(
  {
    token: Type.Optional(
      Type.String({
        description:
          'Send it as `Authorization: Bearer`. Shown only once. Absent when the request had `cookie: true`.',
        examples: [`cs_${'x'.repeat(43)}`],
      }),
    ),
    expires_at: TimeSchema,
    user: User,
    merchant: allowNull(Merchant),
  },
  { title: 'NewSession', description: 'A session.' },
);

export const VerifyRequest = Type.Object(
  {
    token: TokenSchema,
    password: {
      ...PasswordSchema,
      description:
        'The password of the registration. It shows that the same person registered and opened the link.',
    },
  },
  { ...closed, title: 'VerifyEmailRequest' },
);
export type VerifyRequest = Static<typeof VerifyRequest>;

export const ResetRequest = Type.Object(
  { email: EmailSchema },
  { ...closed, title: 'RequestPasswordResetRequest' },
);
export type ResetRequest = Static<typeof ResetRequest>;

export const ResendRequest = Type.Object(
  { email: EmailSchema },
  { ...closed, title: 'ResendVerificationRequest' },
);
export type ResendRequest = Static<typeof ResendRequest>;

export const ChoosePasswordRequest = Type.Object(
  { token: TokenSchema, password: NewPasswordSchema },
  { ...closed, title: 'ConfirmPasswordResetRequest' },
);
export type ChoosePasswordRequest = Static<typeof ChoosePasswordRequest>;

export const ChangePasswordRequest = Type.Object(
  { current_password: PasswordSchema, password: NewPasswordSchema },
  { ...closed, title: 'ChangePasswordRequest' },
);
export type ChangePasswordRequest = Static<typeof ChangePasswordRequest>;

export const Session = Type.Object(
  {
    id: buildIdSchema('ses', 'The session.'),
    object: Type.Literal('session'),
    address: Type.String({
      description: 'The IP address of the login.',
      examples: ['203.0.113.7'],
    }),
    device: allowNull(Device),
    is_current: Type.Boolean({ description: 'True for the session of this request.' }),
    created_at: TimeSchema,
    last_used_at: TimeSchema,
    expires_at: TimeSchema,
  },
  { title: 'Session', description: 'A session.' },
);

export const TotpSecret = Type.Object(
  {
    secret: Type.String({
      description: 'Base32. Shown only once.',
      examples: ['JBSWY3DPEHPK3PXP'],
    }),
    otpauth_url: Type.String({
      description: 'The text of the QR code.',
      examples: ['otpauth://totp/…'],
    }),
  },
  { title: 'TotpSecret' },
);

export const SetUpTotpRequest = Type.Object(
  {
    current_password: PasswordSchema,
    totp_code: Type.Optional({
      ...FactorCodeSchema,
      description:
        'Required if the user has a passkey: a recovery code, or a code of a passkey (`POST /v1/auth/passkeys/code`).',
    }),
  },
  { ...closed, title: 'SetUpTotpRequest' },
);
export type SetUpTotpRequest = Static<typeof SetUpTotpRequest>;

export const ConfirmTotpRequest = Type.Object(
  { code: CodeSchema },
  { ...closed, title: 'ConfirmTotpRequest' },
);
export type ConfirmTotpRequest = Static<typeof ConfirmTotpRequest>;

/** Also to make new recovery codes. */
export const RemoveTotpRequest = Type.Object(
  { current_password: PasswordSchema, code: FactorCodeSchema },
  { ...closed, title: 'TotpCodeRequest' },
);
export type RemoveTotpRequest = Static<typeof RemoveTotpRequest>;

export const RecoveryCodes = Type.Object(
  {
    recovery_codes: Type.Array(Type.String(), {
      description: 'Each replaces one code of the authenticator app. Shown only once.',
      examples: [['0a1b-2c3d-4e5f-6g7h']],
    }),
  },
  { title: 'RecoveryCodes' },
);

const RoleCode = Type.Optional({
  ...FactorCodeSchema,
  description:
    'The current code of your authenticator app, or a recovery code. Required to make somebody owner, developer or ' +
    'finance, and to take the role of an owner away.',
});

export const InviteRequest = Type.Object(
  { email: EmailSchema, role: RoleSchema, totp_code: RoleCode },
  { ...closed, title: 'InviteUserRequest' },
);
export type InviteRequest = Static<typeof InviteRequest>;

export const ChangeRoleRequest = Type.Object(
  { role: RoleSchema, totp_code: RoleCode },
  { ...closed, title: 'ChangeUserRoleRequest' },
);
export type ChangeRoleRequest = Static<typeof ChangeRoleRequest>;

export const RemoveUserRequest = Type.Object(
  {
    totp_code: RoleCode,
    revoke_keys: Type.Optional(
      Type.Boolean({
        description:
          'true: the API keys that the user made, or rolled, stop working within a second. Absent: they go on working, because ' +
          'servers use them.',
        errorMessage: 'must be true or false',
      }),
    ),
  },
  { ...closed, title: 'RemoveUserRequest' },
);
export type RemoveUserRequest = Static<typeof RemoveUserRequest>;
