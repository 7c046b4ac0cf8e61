import { useMutation, useQuery } from '@tanstack/react-query'
import type { Input, Output } from '#contract/contract'
import type { Pool } from '#contract/wire'
import { call } from '../../state/api.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { toast } from '../../state/toast.ts'
import { toastFailure } from '../toast-failure.ts'
import type { ProxyUser, UserInput } from './user-form.ts'

type Users = Output<'get_proxy_users'>

/** The proxy users of a pool, and the acts on them. */
export function useUsers(pool: Pool) {
  const { t } = useTranslation('proxyUsers')
  const read = query('get_proxy_users', { pool })
  const users = useQuery(read)
  const update = (change: (known: ProxyUser[]) => ProxyUser[]) =>
    queryClient.setQueryData(read.queryKey, (known: Users | undefined) =>
      known === undefined ? known : { ...known, users: change(known.users) },
    )
  const replace = (saved: ProxyUser) =>
    update((known) => known.map((each) => (each.number === saved.number ? saved : each)))
  const onError = (error: unknown) => toastFailure(error, t('failed'))

  const create = useMutation({
    mutationFn: (input: UserInput) => call('create_proxy_user', { pool, ...input }),
    onSuccess(made) {
      update((known) => [...known, made])
      toast.success(t('made', { label: made.label }))
    },
    onError,
  })
  const change = useMutation({
    mutationFn: (input: Omit<Input<'change_proxy_user'>, 'pool'>) =>
      call('change_proxy_user', { pool, ...input }),
    onSuccess(saved) {
      replace(saved)
      toast.success(t('saved'))
    },
    onError,
  })
  const freeze = useMutation({
    mutationFn: (input: { number: number; frozen: boolean }) => call('freeze_proxy_user', { pool, ...input }),
    onSuccess(saved) {
      replace(saved)
      toast.success(t(saved.frozen ? 'frozenNow' : 'freedNow', { label: saved.label }))
    },
    onError,
  })
  const renew = useMutation({
    mutationFn: (number: number) => call('renew_proxy_user_password', { pool, number }),
    onSuccess(saved) {
      replace(saved)
      toast.success(t('renewed'))
    },
    onError,
  })
  const remove = useMutation({
    mutationFn: (number: number) => call('delete_proxy_user', { pool, number }),
    onSuccess(_done, number) {
      update((known) => known.filter((each) => each.number !== number))
      toast.success(t('deleted'))
    },
    onError,
  })
  return { users, create, change, freeze, renew, remove }
}
