// The same operation on a model and on its original: the answers, as texts that can be compared.
export const SEEDS = 12;
export const OPERATIONS = 60;
export const PARTITIONS = 3;

export type Answer = { readonly value: string } | { readonly error: string };

export async function answer(
  work: () => unknown,
  nameError: (error: unknown) => string,
): Promise<Answer> {
  try {
    return { value: format(await work()) };
  } catch (error) {
    return { error: nameError(error) };
  }
}

export const listPartitions = (): number[] =>
  Array.from({ length: PARTITIONS }, (_, index) => index);

function format(value: unknown): string {
  const text: string | undefined = JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === 'bigint') return String(item);
    if (item instanceof Error) return item.message;
    return item instanceof Map ? [...(item as Map<unknown, unknown>)] : item;
  });
  return text ?? 'nothing';
}
