// Reads filters from the search part of an address, where everything is a text.

type Picked<Name extends string> = { [Key in Name]?: string | undefined };

/** Keeps the named texts that are there and not empty. */
export function pickTexts<const Name extends string>(names: readonly Name[]) {
  return (search: Record<string, unknown>): Picked<Name> => {
    const found: Picked<Name> = {};
    for (const name of names) {
      const value = search[name];
      if (typeof value === 'string' && value !== '') found[name] = value;
    }
    return found;
  };
}
