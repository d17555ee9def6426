// The notices that appear above a view. The part that draws them is loaded once the first view is drawn, since a notice may say
// that the connection is lost.
import { useNotifications } from '@mantine/notifications';
import { lazy, type ReactNode, useEffect, useState } from 'react';
import { OptionalPart } from '@dashboard/shared/faults/optional-part.js';

const loadToastList = () => import('./toast-list.js');

const ToastList = lazy(() => loadToastList().then((file) => ({ default: file.ToastList })));

export function Toasts(): ReactNode {
  const { notifications } = useNotifications();
  const [isUsed, setIsUsed] = useState(false);
  useEffect(() => void loadToastList().catch(() => null), []);
  if (notifications.length > 0 && !isUsed) setIsUsed(true);
  if (!isUsed) return null;
  return (
    <OptionalPart>
      <ToastList />
    </OptionalPart>
  );
}
