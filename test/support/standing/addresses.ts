// The standing stacks of a run: their kinds, and their addresses in the environment of the test files.

/** `payments`: two gateways and a payments process. */
export const STACK_KINDS = ['payments'] as const;
export type StackKind = (typeof STACK_KINDS)[number];

/** Where run.ts says which stacks run: JSON, the addresses by kind. */
export const STACKS_VARIABLE = 'KASIR_TEST_STACKS';

export interface StackAddresses {
  /** Of each gateway. */
  readonly baseUrls: readonly string[];
  /** BASE_URL of the gateways: the first one's, by name. */
  readonly publicUrl: string;
  readonly databaseUrl: string;
}

export type GivenStacks = Partial<Readonly<Record<StackKind, StackAddresses>>>;

export function readGivenStacks(): GivenStacks {
  return JSON.parse(process.env[STACKS_VARIABLE] ?? '{}') as GivenStacks;
}
