// The separator and the decimal mark of a CSV file, as its reader's program expects them (docs/guides/csv-files.md).
import { Type } from '@sinclair/typebox';
import type { ApiError } from '../routing/response.js';
import { buildParameterError } from './page.js';

const SEPARATORS = { comma: ',', semicolon: ';', tab: '\t' } as const;
const DECIMALS = { point: '.', comma: ',' } as const;

export interface FileFormat {
  readonly separator: (typeof SEPARATORS)[keyof typeof SEPARATORS];
  readonly decimal: (typeof DECIMALS)[keyof typeof DECIMALS];
}

export const DEFAULT_FORMAT: FileFormat = { separator: ',', decimal: '.' };

/** Query properties of each list that is also sent as a file. A page does not use them. */
export const FORMAT_QUERY = {
  separator: Type.Optional(
    Type.Union([Type.Literal('comma'), Type.Literal('semicolon'), Type.Literal('tab')], {
      description: 'Between the columns of a CSV file. Absent: `comma`.',
      errorMessage: 'must be comma, semicolon or tab',
    }),
  ),
  decimal: Type.Optional(
    Type.Union([Type.Literal('point'), Type.Literal('comma')], {
      description:
        'The decimal mark of numbers in a CSV file. Absent: `point`. `comma` needs another `separator`.',
      errorMessage: 'must be point or comma',
    }),
  ),
};

export interface FormatQuery {
  readonly separator?: keyof typeof SEPARATORS;
  readonly decimal?: keyof typeof DECIMALS;
}

export function readFormat({
  separator = 'comma',
  decimal = 'point',
}: FormatQuery): FileFormat | ApiError {
  if (separator === 'comma' && decimal === 'comma') {
    return buildParameterError('decimal', 'may be comma only if separator is semicolon or tab');
  }
  return { separator: SEPARATORS[separator], decimal: DECIMALS[decimal] };
}
