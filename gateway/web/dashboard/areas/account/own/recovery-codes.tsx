// Recovery codes, which the API shows only once: to copy or to print.
import { Button, Card, CopyButton, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '@dashboard/shared/text/language.js';
import classes from './own.module.css';
import { OWN_TEXTS } from './texts.js';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onStored: () => void;
}

export function RecoveryCodes({ codes, onStored }: RecoveryCodesProps): ReactNode {
  const texts = useTexts(OWN_TEXTS);
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
          <CopyButton value={codes.join('\n')}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? texts.copied : texts.copyAll}
              </Button>
            )}
          </CopyButton>
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
      </Stack>
    </Card>
  );
}
