// Short words in a row, such as the rights of a key. Each keeps its width in a narrow column.
import { Badge, Group } from '@mantine/core';
import type { ReactNode } from 'react';

export function Tags({ names }: { readonly names: readonly string[] }): ReactNode {
  return (
    <Group gap={4} component="span">
      {names.map((name) => (
        <Badge key={name} variant="default" size="sm" tt="none" miw="max-content">
          {name}
        </Badge>
      ))}
    </Group>
  );
}
