import { type InfiniteData, useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { isUserLogin } from '#contract/proxy-users/rules'
import type { Input, Output } from '#contract/contract'
import type { Pool } from '#contract/wire'
import { call } from '../../state/api.ts'
import { pagesKey } from '../../state/reads/pages-key.ts'
import { useOrderKeys } from '../../state/orders/order-keys.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { toast } from '../../state/toast.ts'
import { toastFailure } from '../toast-failure.ts'
import { useAmount } from './use-amount.ts'
import type { ProxyUser, UserInput } from './user-form.ts'

type Users = Output<'get_proxy_users'>

/** How many are shown at first, and more with each press. */
const pageSize = 50

/** Changes the cached proxy users of a pool; `more`: by how many their total grows. */
function updateOf(pool: Pool, queryKey: readonly unknown[]) {
  return (change: (known: ProxyUser[], isLast: boolean) => ProxyUser[], more = 0) => {
    queryClient.setQueryData(queryKey, (known: InfiniteData<Users, number> | undefined) => {
      if (known === undefined) return known
      const last = known.pages.length - 1
      const changed = (page: Users, index: number) => ({
        ...page,
        count: page.count + more,
        users: change(page.users, index === last && page.next_after === null),
      })
      return { ...known, pages: known.pages.map(changed) }
    })
    // The generator offers them too.
    void queryClient.invalidateQueries({ queryKey: query('get_proxy_users', { pool }).queryKey, exact: true })
  }
}

/** Reserved traffic is not in the balance. */
const refreshBalance = () => void queryClient.invalidateQueries({ queryKey: ['legacy_profile'] })

/** Lets a proxy user use another pool with its login. */
function useJoin(pool: Pool) {
  const { t } = useTranslation('proxyUsers')
  return useMutation({
    mutationFn: (input: Omit<Input<'add_proxy_user_to_pool'>, 'pool'>) =>
      call('add_proxy_user_to_pool', { pool, ...input }),
    onSuccess(made) {
      void queryClient.invalidateQueries({ queryKey: ['get_proxy_users'] })
      refreshBalance()
      toast.success(t('joined', { label: made.label }))
    },
    onError: (error) => toastFailure(error, t('failed')),
  })
}

/** Makes a proxy user; a repeated press after a lost answer does not make a second one. */
function useCreate(pool: Pool, onMade: (made: ProxyUser) => void) {
  const { t } = useTranslation('proxyUsers')
  const keys = useOrderKeys()
  return useMutation({
    mutationFn: (input: UserInput) => {
      const order = { pool, ...input }
      return call('create_proxy_user', order, { idempotencyKey: keys.keyOf(order) })
    },
    onSuccess(made, input) {
      keys.done({ pool, ...input })
      onMade(made)
      toast.success(t('made', { label: made.label }))
    },
    onError: (error) => toastFailure(error, t('failed')),
  })
}

/** Ends the open connections of a proxy user. */
function useEnd(pool: Pool) {
  const { t } = useTranslation('proxyUsers')
  return useMutation({
    mutationFn: (number: number) => call('end_connections', { pool, proxy_user: number }),
    onSuccess: () => toast.success(t('ended')),
    onError: (error) => toastFailure(error, t('failed')),
  })
}

/** The proxy users of a pool, all or those with a name or a login, and the acts on them. */
export function useUsers(pool: Pool, search: string, isDeleted = false) {
  const { t } = useTranslation('proxyUsers')
  const named = search === '' ? {} : isUserLogin(search) ? { login: search } : { label: search }
  const wanted = isDeleted ? { ...named, state: 'deleted' as const } : named
  const queryKey = pagesKey('get_proxy_users', { pool, ...wanted })
  const users = useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam }) =>
      call(
        'get_proxy_users',
        { pool, limit: pageSize, passwords: true, after: pageParam, ...wanted },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: ({ next_after: next }) => next ?? undefined,
  })
  const update = updateOf(pool, queryKey)
  const replace = (saved: ProxyUser) =>
    update((known) => known.map((each) => (each.number === saved.number ? saved : each)))
  const onError = (error: unknown) => toastFailure(error, t('failed'))

  const create = useCreate(pool, (made) => {
    update((known, isLast) => (isLast ? [...known, made] : known), 1)
    refreshBalance()
  })
  const add = useAmount(pool, (saved) => {
    update((known) => known.map((each) => (each.number === saved.number ? { ...each, ...saved } : each)))
    refreshBalance()
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
      update((known) => known.filter((each) => each.number !== number), -1)
      refreshBalance()
      toast.success(t('deleted'))
    },
    onError,
  })
  return { users, create, add, change, freeze, renew, join: useJoin(pool), end: useEnd(pool), remove }
}
