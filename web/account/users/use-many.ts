import { useMutation } from '@tanstack/react-query'
import type { Output } from '#contract/contract'
import type { Pool } from '#contract/wire'
import { call } from '../../state/api.ts'
import { useTranslation } from '../../state/i18n.ts'
import { queryClient } from '../../state/reads/queries.ts'
import { toast } from '../../state/toast.ts'
import { downloadText } from '../../ui/download-text.ts'
import { toastFailure } from '../toast-failure.ts'

/** The numbers of proxy users, or every one of the pool, also those that are not listed yet. */
export type Chosen = readonly number[] | 'every'

interface ActOnMany {
  act: 'freeze' | 'free' | 'delete'
  chosen: Chosen
}

const choiceOf = (chosen: Chosen) =>
  chosen === 'every' ? { filter: {} } : { users: chosen.map((number) => ({ number })) }

/** Acts on one page of the choice after the other. */
async function inPages(send: (after: number) => Promise<Output<'freeze_proxy_users'>>) {
  const acted = await send(0)
  while (acted.next_after !== null) {
    const page = await send(acted.next_after)
    acted.users.push(...page.users)
    acted.done += page.done
    acted.next_after = page.next_after
  }
  return acted
}

/** Acts on many proxy users of a pool in one call each. */
export function useMany(pool: Pool) {
  const { t } = useTranslation('proxyUsers')
  const onError = (error: unknown) => toastFailure(error, t('failed'))
  const acts = useMutation({
    mutationFn: ({ act, chosen }: ActOnMany) =>
      inPages((after) => {
        const choice = { pool, ...choiceOf(chosen), after }
        return act === 'delete'
          ? call('delete_proxy_users', choice)
          : call('freeze_proxy_users', { ...choice, frozen: act === 'freeze' })
      }),
    onSuccess({ done }) {
      void queryClient.invalidateQueries({ queryKey: ['get_proxy_users'] })
      void queryClient.invalidateQueries({ queryKey: ['legacy_profile'] })
      toast.success(t('bulk.done', { number: String(done) }))
    },
    onError,
  })
  const lines = useMutation({
    mutationFn: (chosen: Chosen) =>
      call('proxy_users_lines', {
        pool,
        ...choiceOf(chosen),
        type: 'rotating',
        anonymous: 'true',
        protocol: 'http',
        format: 'login:password@hostname:port',
        quantity: 1,
        sessionttl: 0,
      }),
    onSuccess: (text) => downloadText(`proxy-users-${pool}.txt`, text, 'text/plain'),
    onError,
  })
  return { ...acts, copyLines: lines.mutate, isCopying: lines.isPending }
}
