// The notices that appear above a view. The part that draws them is loaded with the first notice.
import { useNotifications } from '@mantine/notifications';
import { lazy, type ReactNode, useState } from 'react';
import { OptionalPart } from '@dashboard/shared/faults/optional-part.js';

/** Called before a press whose notice may say that the connection is lost. */
export const loadToastList = () => import('./toast-list.js');

const ToastList = lazy(() => loadToastList().then((file) => ({ default: file.ToastList })));

export function Toasts(): ReactNode {
  const { notifications } = useNotifications();
  const [isUsed, setIsUsed] = useState(false);
  if (notifications.length > 0 && !isUsed) setIsUsed(true);
  if (!isUsed) return null;
  return (
    <OptionalPart>
      <ToastList />
    </OptionalPart>
  );
}
