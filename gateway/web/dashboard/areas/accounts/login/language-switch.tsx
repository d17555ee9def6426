// The language of a view without a session.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLanguage } from '@dashboard/shared/text/language.js';

export function LanguageSwitch(): ReactNode {
  const { language, choose } = useLanguage();
  const other = language === 'id' ? 'en' : 'id';
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      lang={other}
      onClick={() => {
        choose(other);
      }}
    >
      {other === 'id' ? 'Bahasa Indonesia' : 'English'}
    </Button>
  );
}
