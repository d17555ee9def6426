// Request and response schemas of API keys. Source: the API contract, section 4.
import { type Static, Type } from '@sinclair/typebox';
import { allowNull, TimeSchema } from '#actors/core/schemas/fields.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';
import { EnvironmentChoice, buildIdSchema, closed } from '#gateway/routing/schema-parts.js';
import { FactorCodeSchema } from '#gateway/auth/factor-schema.js';

const MAX_ADDRESSES = 20;
const MAX_OVERLAP_S = 604_800;
const ADDRESS_REQUIREMENT = 'must be an IP address or a CIDR range, such as 203.0.113.0/24';
export const DEFAULT_OVERLAP_S = 86_400;

const TotpCode = Type.Optional({
  ...FactorCodeSchema,
  description:
    'The current code of the authenticator app, or a recovery code. Required for a LIVE key and for a key with the scope `payouts`.',
});

const ScopeChoice = Type.Union([
  Type.Literal('read'),
  Type.Literal('write'),
  Type.Literal('payouts'),
]);

export const CreateKeyRequest = Type.Object(
  {
    environment: EnvironmentChoice,
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ['Toko online'] })),
    scopes: Type.Optional(
      Type.Array(ScopeChoice, {
        uniqueItems: true,
        maxItems: 3,
        description:
          'Absent or empty means read and write; `null` is an error. A LIVE key needs `payouts` to pay out.',
        refusesNull: true,
        errorMessage: 'must be a list of read, write and payouts, each at most once',
      }),
    ),
    allowed_addresses: Type.Optional(
      Type.Array(Type.String({ maxLength: 49, errorMessage: ADDRESS_REQUIREMENT }), {
        maxItems: MAX_ADDRESSES,
        description:
          'IP addresses and CIDR ranges. Absent or empty means every address; `null` is an error.',
        refusesNull: true,
        examples: [['203.0.113.0/24']],
      }),
    ),
    totp_code: TotpCode,
  },
  { ...closed, title: 'CreateApiKeyRequest' },
);
export type CreateKeyRequest = Static<typeof CreateKeyRequest>;

export const RollKeyRequest = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_OVERLAP_S,
        description: `How long the old key still works; 0 revokes it at once. Absent: ${DEFAULT_OVERLAP_S}; \`null\` is an error.`,
        refusesNull: true,
      }),
    ),
    totp_code: TotpCode,
  },
  { ...closed, title: 'RollApiKeyRequest' },
);
export type RollKeyRequest = Static<typeof RollKeyRequest>;

export const KeysQuery = Type.Object(
  { environment: Type.Optional(EnvironmentChoice), ...PAGE_QUERY },
  closed,
);
export type KeysQuery = Static<typeof KeysQuery>;

const Maker = Type.Object(
  {
    id: buildIdSchema('usr', 'The user.'),
    email: allowNull(
      Type.String({
        description: 'The address at that time; `null` once it was erased.',
        examples: ['siti@toko.example'],
      }),
    ),
    is_removed: Type.Boolean({ description: 'The user was removed. The key works nevertheless.' }),
  },
  { title: 'MakerOfApiKey', description: 'The user who made the key, or rolled it.' },
);

export const API_KEY_FIELDS = {
  id: buildIdSchema('key', 'The id of the key; not its secret.'),
  object: Type.Literal('api_key'),
  environment: Type.String({ enum: ['TEST', 'LIVE'] }),
  name: allowNull(Type.String()),
  prefix: Type.String({
    description: 'The first characters of the key.',
    examples: ['sk_test_4fR9'],
  }),
  last_four: Type.String({ examples: ['x7Qa'] }),
  scopes: Type.Array(Type.String()),
  allowed_addresses: Type.Array(Type.String()),
  status: Type.String({
    enum: ['active', 'expiring', 'revoked'],
    description: 'An expiring key was rolled and works until `revoked_at`.',
  }),
  created_at: TimeSchema,
  last_used_at: allowNull(TimeSchema),
  revoked_at: allowNull(TimeSchema),
  made_by: allowNull(Maker, {
    description: 'The user who made the key, or rolled it; `null`: an operator.',
  }),
};
export const ApiKey = Type.Object(API_KEY_FIELDS, { title: 'ApiKey', description: 'An API key.' });

export const NewApiKey = Type.Object(
  {
    ...API_KEY_FIELDS,
    secret: Type.String({
      description: 'The key itself. Shown only once.',
      examples: [`sk_test_${'x'.repeat(38)}`],
    }),
  },
  { title: 'NewApiKey', description: 'A new API key with its secret.' },
);
