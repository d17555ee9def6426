// The filter of lists by rail.
import type { ReactNode } from 'react';
import { ChoiceFilter } from '@dashboard/shared/lists/filters.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { useRailNames } from './rail-names.js';
import { ADMIN_TEXTS } from './texts.js';

export function RailFilter(): ReactNode {
  const { rail, anyRail } = useTexts(ADMIN_TEXTS);
  const names = useRailNames();
  return (
    <ChoiceFilter
      name="rail"
      label={rail}
      any={anyRail}
      choices={names.map((name) => ({ value: name, label: name }))}
    />
  );
}
