// The head of the page where customers pay, as it will look.
import { Card, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Money } from '@dashboard/shared/parts/money.js';
import { useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { chooseTextColour, isColour } from './contrast.js';
import classes from './settings.module.css';
import { SETTINGS_TEXTS } from './texts.js';

interface BrandPreviewProps {
  readonly name: string;
  readonly colour: string;
  readonly logoUrl: string | null;
}

const DEFAULT_COLOUR = '#0b5cad';
const SAMPLE_AMOUNT = '150000';

export function BrandPreview({ name, colour, logoUrl }: BrandPreviewProps): ReactNode {
  const texts = useTexts(SETTINGS_TEXTS);
  const { merchant } = useSession();
  const shownName = name.trim() === '' ? (merchant?.business_name ?? '') : name;
  const background = isColour(colour) ? colour : DEFAULT_COLOUR;
  return (
    <Card withBorder>
      <Text size="sm" c="dimmed" mb="sm">
        {texts.preview}
      </Text>
      <div className={classes.preview} data-preview>
        {logoUrl !== null && <img className={classes.logo} src={logoUrl} alt={texts.logoAlt} />}
        <span>{texts.previewPaying(shownName)}</span>
        <strong className={classes.amount}>
          <Money minor={SAMPLE_AMOUNT} currency="IDR" />
        </strong>
        <span
          className={classes.button}
          style={{ background, color: chooseTextColour(background) }}
        >
          {texts.previewButton}
        </span>
      </div>
    </Card>
  );
}
