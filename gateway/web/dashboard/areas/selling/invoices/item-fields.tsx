// The items of a draft.
import { ActionIcon, Button, Fieldset, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import Trash from 'lucide-react/icons/trash-2';
import type { ReactNode } from 'react';
import { useTexts } from '@dashboard/shared/text/language.js';
import { AmountInput, WholeNumberInput } from '@dashboard/shared/forms/number-inputs.js';
import { SELLING_TEXTS } from '../parts/texts.js';
import { EMPTY_ITEM, type InvoiceForm } from './invoice-form.js';
import classes from './invoice.module.css';

const MAX_ITEMS = 100;
const ICON_SIZE = 16;

export function ItemFields({ form }: { readonly form: UseFormReturnType<InvoiceForm> }): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  const { items } = form.values;
  return (
    <Stack align="flex-start">
      {items.map((_item, index) => (
        <Fieldset
          key={form.key(`items.${index}`)}
          variant="unstyled"
          w="100%"
          aria-label={invoices.item(index + 1)}
        >
          <div className={classes.item}>
            <TextInput
              label={invoices.itemName}
              {...form.getInputProps(`items.${index}.description`)}
            />
            <WholeNumberInput
              label={invoices.quantity}
              {...form.getInputProps(`items.${index}.quantity`)}
            />
            <AmountInput
              label={invoices.unitAmount}
              {...form.getInputProps(`items.${index}.unit_amount`)}
            />
            <ActionIcon
              variant="subtle"
              color="red"
              size="lg"
              mt={24}
              disabled={items.length === 1}
              aria-label={invoices.removeItem(index + 1)}
              onClick={() => {
                form.removeListItem('items', index);
              }}
            >
              <Trash size={ICON_SIZE} aria-hidden />
            </ActionIcon>
          </div>
        </Fieldset>
      ))}
      <Button
        variant="default"
        disabled={items.length >= MAX_ITEMS}
        onClick={() => {
          form.insertListItem('items', EMPTY_ITEM);
        }}
      >
        {invoices.addItem}
      </Button>
    </Stack>
  );
}
