// Answers of the routes that administrators manage each other with.
import { Type } from '@sinclair/typebox';
import { allowNull, TimeSchema } from '#actors/core/schemas/fields.js';
import { buildIdSchema } from '#gateway/routing/schema-parts.js';
import { ADMINISTRATOR_ROLES } from '#gateway/routing/roles.js';

export const ADMINISTRATOR_STATUSES = ['active', 'disabled'] as const;
export type AdministratorStatus = (typeof ADMINISTRATOR_STATUSES)[number];

export const Administrator = Type.Object(
  {
    id: buildIdSchema('usr', 'The administrator.'),
    object: Type.Literal('administrator'),
    email: Type.String({ examples: ['someone@kasir.example'] }),
    role: Type.String({
      enum: [...ADMINISTRATOR_ROLES],
      description:
        'All read what all merchants do. `compliance` decides about verifications, LIVE access and erasures, `treasury` ' +
        'about money, `admin` does everything, `support` changes nothing. An operator with access to the database ' +
        'creates administrators and changes their roles.',
    }),
    status: Type.String({
      enum: [...ADMINISTRATOR_STATUSES],
      description: 'A disabled administrator cannot log in and has no sessions.',
    }),
    totp_enabled: Type.Boolean(),
    second_factor_enabled: Type.Boolean({ description: 'With an authenticator app or a passkey.' }),
    created_at: TimeSchema,
    disabled_at: allowNull(TimeSchema),
  },
  { title: 'Administrator', description: 'A person who operates the installation.' },
);
