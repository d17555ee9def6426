// The parts of schemas that the resources share.
import { Type } from '@sinclair/typebox';

/** Of requests: a field that the schema does not name is an error. */
export const closed = { additionalProperties: false } as const;

const EXAMPLE_ID = '5jz8q4m1n7v2c9k3x6w0t4h8rb';

/** An id as answers show it. */
export const buildIdSchema = (prefix: string, description: string) =>
  Type.String({ description, examples: [`${prefix}_${EXAMPLE_ID}`] });

export const EnvironmentChoice = Type.Union([Type.Literal('TEST'), Type.Literal('LIVE')], {
  errorMessage: 'must be TEST or LIVE',
});

/** Of the session's merchant. */
export const ENVIRONMENT = {
  environment: Type.Optional(
    Type.Union([...EnvironmentChoice.anyOf], {
      description: 'Absent: `TEST`.',
      errorMessage: 'must be TEST or LIVE',
    }),
  ),
};

export const EnvironmentQuery = Type.Object(ENVIRONMENT, closed);

/** The names of rails are not listed: everybody can read the OpenAPI description. */
export const RailSchema = Type.String({ description: 'The rail.', examples: ['sandbox'] });

export const buildTextSchema = (maxLength: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength, description, examples: [example] });

/** A reason or a note, which may have several lines. */
export const buildLinesSchema = (description: string, example: string) => ({
  ...buildTextSchema(500, description, example),
  typedAs: 'lines',
});
