import { type ComponentProps, useState } from 'react';
import { OrderSheet } from '@/trading';
import { useOrderDetail } from './api/account';

/** A spot order with its fills. */
export function SpotOrderSheet(props: Omit<ComponentProps<typeof OrderSheet>, 'detail'>) {
  const [id, setId] = useState<number>();
  if (props.order && props.order.id !== id) setId(props.order.id);
  return <OrderSheet {...props} detail={useOrderDetail(id)} />;
}
