// Recovery codes, which the API shows only once: to copy or to print.
import { Button, Card, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCopying } from '@dashboard/shared/parts/copying.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import classes from './own.module.css';
import { OWN_TEXTS } from './texts.js';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onStored: () => void;
}

export function RecoveryCodes({ codes, onStored }: RecoveryCodesProps): ReactNode {
  const texts = useTexts(OWN_TEXTS);
  const shared = useTexts(SHARED_TEXTS);
  const [state, copy] = useCopying();
  return (
    <Card withBorder>
      <Stack>
        <Text size="sm">{texts.codesHelp}</Text>
        <ul className={classes.codes} data-recovery-codes>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <Group>
          <Button
            variant="default"
            onClick={() => {
              copy(codes.join('\n'));
            }}
          >
            {state === 'copied' ? texts.copied : texts.copyAll}
          </Button>
          <Button
            variant="default"
            onClick={() => {
              window.print();
            }}
          >
            {texts.print}
          </Button>
          <Button onClick={onStored}>{texts.stored}</Button>
        </Group>
        {state === 'failed' && (
          <Text size="sm" c="red" role="alert">
            {shared.copyFailed}
          </Text>
        )}
      </Stack>
    </Card>
  );
}
