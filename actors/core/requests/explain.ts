// Says what a field of a request must be, in a sentence that names the field and the allowed values. The schema's
// `errorMessage` completes the sentence "<param> …"; without one it is built from the keywords, so that no message of the
// schema library reaches a merchant.
import type { TArray, TSchema } from '@sinclair/typebox';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';

/** The keywords of a schema that limit its values. */
interface Keywords {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly type?: string;
  readonly pattern?: string;
  readonly examples?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly additionalProperties?: boolean | TSchema;
  readonly maxProperties?: number;
  readonly errorMessage?: string;
}

/** The dotted name of the field that an error is about; empty: the body as a whole. */
export function formatPath({ path }: ValueError): string {
  return path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
}

/** `param` is the field as the answer shows it; empty: the body as a whole. */
export function explainError({ type, schema }: ValueError, param: string): string {
  if (type === ValueErrorType.ObjectAdditionalProperties) return explainUnknown(schema, param);
  const requirement = describeRequirement(schema);
  if (type === ValueErrorType.ObjectRequiredProperty)
    return `${param} is required and ${requirement}.`;
  return `${param === '' ? 'The body' : param} ${requirement}.`;
}

/** `object` is the schema of the object that does not have the field. */
function explainUnknown(object: TSchema, param: string): string {
  const { properties = {}, errorMessage } = object as Keywords;
  const unknown = `There is no field ${param} here.`;
  const parent = param.split('.').slice(0, -1).join('.');
  if (errorMessage !== undefined) return `${unknown} ${parent} ${errorMessage}.`;
  const names = Object.keys(properties);
  const owner = parent === '' ? '' : ` of ${parent}`;
  if (names.length === 0) return unknown;
  return names.length === 1
    ? `${unknown} The only field${owner} is ${names.join()}.`
    : `${unknown} The fields${owner} are ${names.join(', ')}.`;
}

function describeRequirement(schema: TSchema): string {
  const { errorMessage } = schema as Keywords;
  return errorMessage ?? `must be ${describeAllowed(schema)}`;
}

/** To follow "must be": `"paid" or "failed"`, `a string of at most 500 characters`. */
function describeAllowed(schema: TSchema): string {
  const keywords = schema as Keywords;
  const { anyOf, minimum, maximum } = keywords;
  if (keywords.const !== undefined) return JSON.stringify(keywords.const);
  if (keywords.enum !== undefined)
    return joinChoices(keywords.enum.map((one) => JSON.stringify(one)));
  if (anyOf !== undefined) return joinChoices(anyOf.map(describeAllowed));
  switch (keywords.type) {
    case 'string':
      return describeString(keywords);
    case 'integer':
      return `a whole number${describeRange('', minimum, maximum)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return describeArray(schema as TArray);
    case 'null':
      return 'null';
    default:
      return describeObject(keywords);
  }
}

function joinChoices(choices: readonly string[]): string {
  const last = choices.slice(-1).join();
  return choices.length < 2 ? last : `${choices.slice(0, -1).join(', ')} or ${last}`;
}

/** An example says more than a pattern. */
function describeString({ minLength, maxLength, pattern, examples }: Keywords): string {
  const [example] = examples ?? [];
  const such = pattern === undefined ? '' : ` such as ${JSON.stringify(example)}`;
  const isOnlyNotEmpty = minLength === 1 && maxLength === undefined;
  const range = isOnlyNotEmpty
    ? ' of at least 1 character'
    : describeRange(' characters', minLength, maxLength);
  return `a string${range}${such}`;
}

function describeArray({ items, minItems, maxItems, uniqueItems }: TArray): string {
  const unit = uniqueItems === true ? ' different items' : ' items';
  return `a list${describeRange(unit, minItems, maxItems)}, each ${describeAllowed(items)}`;
}

function describeObject({ properties, additionalProperties, maxProperties }: Keywords): string {
  if (typeof additionalProperties === 'object') {
    const count = describeRange(' fields', undefined, maxProperties);
    return `an object${count}, each ${describeAllowed(additionalProperties)}`;
  }
  const names = Object.keys(properties ?? {});
  if (names.length === 0) return 'an object';
  return `an object with the field${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
}

/** ` from 1 to 100`, ` of at most 500 characters`; empty: no limit. */
function describeRange(unit: string, min?: number, max?: number): string {
  if (min !== undefined && max !== undefined) {
    if (unit === '') return ` from ${min} to ${max}`;
    return min === max ? ` of ${min}${unit}` : ` of ${min} to ${max}${unit}`;
  }
  if (max !== undefined) return ` of at most ${max}${unit}`;
  return min === undefined ? '' : ` of at least ${min}${unit}`;
}
