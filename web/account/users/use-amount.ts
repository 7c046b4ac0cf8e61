import { useMutation } from '@tanstack/react-query'
import type { Output } from '#contract/contract'
import type { Pool } from '#contract/wire'
import { call } from '../../state/api.ts'
import { useOrderKeys } from '../../state/orders/order-keys.ts'
import { useTranslation } from '../../state/i18n.ts'
import { toast } from '../../state/toast.ts'
import { toastFailure } from '../toast-failure.ts'
import type { GivenAmount } from './amount-dialog.tsx'

/** Gives traffic to a proxy user of a pool, or takes it; the answer has no password. */
export function useAmount(pool: Pool, onSaved: (saved: Output<'give_proxy_user'>) => void) {
  const { t } = useTranslation('proxyUsers')
  const keys = useOrderKeys()
  return useMutation({
    mutationFn: (order: GivenAmount) => {
      const { way, ...amount } = order
      const options = { idempotencyKey: keys.keyOf(order) }
      return call(way === 'give' ? 'give_proxy_user' : 'take_proxy_user', { pool, ...amount }, options)
    },
    onSuccess(saved, order) {
      keys.done(order)
      onSaved(saved)
      toast.success(t(order.way === 'give' ? 'given' : 'taken', { label: saved.label }))
    },
    onError: (error) => toastFailure(error, t('failed')),
  })
}
