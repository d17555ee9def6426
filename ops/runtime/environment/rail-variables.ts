// The variables of rails. This folder does not know the rails, so the form of a name tells its meaning: RAIL_<RAIL>_URL is the
// address of a rail. RAIL_<RAIL>_…_KEY, …_SECRET, …_TOKEN or …_PASSWORD is a secret of a rail, which only the rails process may
// hold. The registration of each rail names its own (actors/rails/adapters/define-rail.ts).

const SECRET_ENDINGS = ['KEY', 'SECRET', 'TOKEN', 'PASSWORD'] as const;

export type RailUrlName = `RAIL_${string}_URL`;
export type RailSecretName = `RAIL_${string}_${(typeof SECRET_ENDINGS)[number]}`;

/** Without its address a rail is off; with it, the rail needs all its secrets. */
export interface RailVariables {
  readonly url: RailUrlName;
  readonly secrets: readonly RailSecretName[];
}

const URL_NAME = /^RAIL_[A-Z]+_URL$/;
const SECRET_NAME = new RegExp(`^RAIL_[A-Z]+_(?:[A-Z]+_)*(?:${SECRET_ENDINGS.join('|')})$`);

export function isRailUrl(name: string): name is RailUrlName {
  return URL_NAME.test(name);
}

export function isRailSecret(name: string): name is RailSecretName {
  return SECRET_NAME.test(name);
}
