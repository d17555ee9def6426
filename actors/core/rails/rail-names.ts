// The names of the rails. CONTRIBUTING.md explains how to add one.

export const LIVE_RAIL_NAMES = ['midtrans', 'xendit'] as const;
export type LiveRailName = (typeof LIVE_RAIL_NAMES)[number];
/** TEST uses the sandbox only, and LIVE never does. */
export const RAIL_NAMES = ['sandbox', ...LIVE_RAIL_NAMES] as const;
export type RailName = (typeof RAIL_NAMES)[number];
