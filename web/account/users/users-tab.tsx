import Plus from 'lucide-react/icons/plus'
import { useRef, useState } from 'react'
import type { Pool } from '#contract/wire'
import { useTranslation } from '../../state/i18n.ts'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { query } from '../../state/reads/queries.ts'
import type { Session } from '../../state/session.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import { useSearchParameter } from '../../state/search-parameter.ts'
import { PoolPicker, usePoolInAddress } from '../pool-picker.tsx'
import { knownPools } from '../profile.ts'
import { AmountDialog } from './amount-dialog.tsx'
import { DeletedCard } from './deleted-card.tsx'
import { ManyBar } from './many-bar.tsx'
import { UsageDialog } from './usage-dialog.tsx'
import { UserCard } from './user-card.tsx'
import { AddressesDialog } from './addresses-dialog.tsx'
import { UserDialog } from './user-dialog.tsx'
import type { ProxyUser } from './user-form.ts'
import { useMany } from './use-many.ts'
import { useUsers } from './use-users.ts'
import styles from './users-tab.module.css'

/** Proxy users of a pool: logins with limits of their own that a customer gives to others. */
export function UsersTab({ user }: { user: Session }) {
  // A pool whose traffic is used up still has its proxy users.
  const choosable = knownPools(user)
  const { pool, choose } = usePoolInAddress(user, choosable)
  return (
    <div className={styles.users}>
      <PoolPicker user={user} value={pool} choosable={choosable} onChange={choose} />
      {choosable.includes(pool) ? <Users key={pool} pool={pool} /> : <NoPool pool={pool} />}
    </div>
  )
}

/** Explains the purpose of proxy users while there are none. */
function Purpose() {
  const { t } = useTranslation('proxyUsers')
  return (
    <>
      <p className={styles.emptyTitle}>{t('empty')}</p>
      <p>{t('emptyText')}</p>
      <ul className={styles.reasons}>
        <li>{t('reason.limit')}</li>
        <li>{t('reason.freeze')}</li>
        <li>{t('reason.statistics')}</li>
      </ul>
    </>
  )
}

function NoPool({ pool }: { pool: Pool }) {
  const { t } = useTranslation('proxyUsers')
  return (
    <Card as="section" className={styles.empty}>
      <Purpose />
      <p>{t('noPool')}</p>
      <Button variant="primary" href={`/purchase?pool=${pool}`}>
        {t('buy')}
      </Button>
    </Card>
  )
}

type CardProps = Parameters<typeof UserCard>[0]
type Opened = { kind: 'create' } | { kind: Parameters<CardProps['onOpen']>[0]; number: number }

function Users({ pool }: { pool: Pool }) {
  const { t } = useTranslation('proxyUsers')
  const { number } = useFormat()
  const [search, setParameter] = useSearchParameter()
  const [sought, seek] = useState('')
  const [isDeleted, showDeleted] = useState(false)
  const [selected, select] = useState<ReadonlySet<number>>(new Set())
  const acts = useUsers(pool, sought, isDeleted)
  const many = useMany(pool)
  const wished = search.get('user')
  const found = useOptionalRead({
    ...query('get_proxy_users', { pool, login: wished ?? '', passwords: true }),
    enabled: wished !== null,
  })
  const [chosen, setOpened] = useState<Opened | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const { data, isError, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = acts.users
  if (isError && data === undefined)
    return (
      <Card as="section" className={styles.empty} role="status">
        <p>{t('loadFailed')}</p>
        <Button onClick={() => void refetch()}>{t('retry')}</Button>
      </Card>
    )
  if (data === undefined) return <UsersSkeleton />
  const pages = data.pages
  const users = pages.flatMap((page) => page.users)
  const [{ count, most, time_zone } = { count: 0, most: 0, time_zone: '' }] = pages
  const hasMore = count > (pages[0]?.users.length ?? 0)
  // `?user=…` is the login of a proxy user whose form is opened: what repairs a refused request leads there.
  const asked = users.find(({ login }) => login === wished) ?? found?.users[0]
  const opened: Opened | null =
    chosen ?? (asked === undefined ? null : { kind: 'edit', number: asked.number })
  const close = () => {
    setOpened(null)
    if (search.has('user')) setParameter('user', null)
  }
  const create = (
    <Button
      variant="primary"
      icon={<Plus size={20} aria-hidden="true" />}
      onClick={() => setOpened({ kind: 'create' })}
    >
      {t('create')}
    </Button>
  )
  return (
    <>
      {count === 0 && !isDeleted ? (
        <Card as="section" className={styles.empty}>
          <Purpose />
          {create}
          <Button onClick={() => showDeleted(true)}>{t('showDeleted')}</Button>
        </Card>
      ) : (
        <section className={styles.section} aria-labelledby="users-heading">
          <div className={styles.head}>
            <div>
              <h2 ref={heading} id="users-heading" tabIndex={-1}>
                {t('count', { count, number: number(count) })}
              </h2>
              <p className={styles.quiet}>{t('upTo', { most: number(most) })}</p>
            </div>
            {create}
          </div>
          <Segmented
            label={t('which')}
            value={isDeleted ? 'deleted' : 'live'}
            options={(['live', 'deleted'] as const).map((value) => ({ value, label: t(`whichOf.${value}`) }))}
            onChange={(which) => showDeleted(which === 'deleted')}
          />
          {hasMore || sought !== '' ? <Search onSeek={seek} /> : null}
          {!isDeleted && users.length > 0 && (
            <ManyBar
              users={users}
              selected={selected}
              onSelect={(numbers) => select(new Set(numbers))}
              many={many}
            />
          )}
          {users.length === 0 && (
            <p role="status" className={styles.quiet}>
              {t(isDeleted && sought === '' ? 'noneDeleted' : 'notFound')}
            </p>
          )}
          <Cards
            users={users}
            pool={pool}
            acts={acts}
            selected={selected}
            onSelect={select}
            onOpen={(kind, user) => setOpened({ kind, number: user })}
          />
          {hasNextPage && (
            <Button
              className={styles.more}
              disabled={isFetchingNextPage}
              onClick={() => void fetchNextPage()}
            >
              {t('more')}
            </Button>
          )}
          <p className={styles.quiet}>{t('shared', { zone: time_zone })}</p>
        </section>
      )}
      <OpenedDialog
        opened={opened}
        users={asked === undefined ? users : [...users, asked]}
        timeZone={time_zone}
        pool={pool}
        acts={acts}
        onClose={close}
        onGone={() => heading.current?.focus()}
      />
    </>
  )
}

interface CardsProps extends Pick<CardProps, 'pool'> {
  users: readonly CardProps['user'][]
  acts: ReturnType<typeof useUsers>
  selected: ReadonlySet<number>
  onSelect: (selected: ReadonlySet<number>) => void
  onOpen: (kind: Parameters<CardProps['onOpen']>[0], number: number) => void
}

/** A card for each proxy user; of a deleted one it has the history. */
function Cards({ users, pool, acts, selected, onSelect, onOpen }: CardsProps) {
  return (
    <ul className={styles.list}>
      {users.map((each) =>
        each.deleted_at !== null ? (
          <DeletedCard key={each.number} user={each} onUsage={() => onOpen('usage', each.number)} />
        ) : (
          <UserCard
            key={each.number}
            user={each}
            pool={pool}
            readAt={acts.users.dataUpdatedAt}
            isFreezing={acts.freeze.isPending && acts.freeze.variables.number === each.number}
            isSelected={selected.has(each.number)}
            onSelect={(isSelected) => {
              const next = new Set(selected)
              if (isSelected) next.add(each.number)
              else next.delete(each.number)
              onSelect(next)
            }}
            onFreeze={(frozen) => acts.freeze.mutate({ number: each.number, frozen })}
            onOpen={(kind) => onOpen(kind, each.number)}
          />
        ),
      )}
    </ul>
  )
}

/** Finds a proxy user by its whole name or login: there may be more than fit on the page. */
function Search({ onSeek }: { onSeek: (text: string) => void }) {
  const { t } = useTranslation('proxyUsers')
  const [text, setText] = useState('')
  return (
    <form
      role="search"
      className={styles.search}
      onSubmit={(event) => {
        event.preventDefault()
        onSeek(text.trim())
      }}
    >
      <TextField
        label={t('find')}
        type="search"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit">{t('findAct')}</Button>
    </form>
  )
}

interface OpenedDialogProps {
  opened: Opened | null
  users: readonly ProxyUser[]
  timeZone: string
  pool: Pool
  acts: ReturnType<typeof useUsers>
  onClose: () => void
  /** The card whose button had the focus is gone. */
  onGone: () => void
}

function OpenedDialog({ opened, users, timeZone, pool, acts, onClose, onGone }: OpenedDialogProps) {
  const { t } = useTranslation('proxyUsers')
  if (opened === null) return null
  const close = { onSuccess: onClose }
  if (opened.kind === 'create')
    return (
      <UserDialog
        user={null}
        pool={pool}
        timeZone={timeZone}
        pending={acts.create.isPending}
        failure={acts.create.error}
        onSave={(input) => acts.create.mutate(input, close)}
        onClose={onClose}
      />
    )
  const user = users.find((each) => each.number === opened.number)
  if (user === undefined) return null
  if (opened.kind === 'edit')
    return (
      <UserDialog
        user={user}
        pool={pool}
        timeZone={timeZone}
        pending={acts.change.isPending}
        failure={acts.change.error}
        onSave={(input) => acts.change.mutate({ number: user.number, ...input }, close)}
        onClose={onClose}
      />
    )
  if (opened.kind === 'amount')
    return (
      <AmountDialog
        user={user}
        pending={acts.add.isPending}
        onSend={(amount) => acts.add.mutate(amount, close)}
        onClose={onClose}
      />
    )
  if (opened.kind === 'usage')
    return <UsageDialog user={user} pool={pool} timeZone={timeZone} onClose={onClose} />
  if (opened.kind === 'listed') return <AddressesDialog user={user} pool={pool} onClose={onClose} />
  if (opened.kind === 'end')
    return (
      <ConfirmDialog
        title={t('endOf', { label: user.label })}
        consequences={[t('endNext'), t('endAgain')]}
        confirmLabel={t('end')}
        pending={acts.end.isPending}
        onConfirm={() => acts.end.mutate(user.number, close)}
        onClose={onClose}
      />
    )
  const isRenewal = opened.kind === 'renew'
  return (
    <ConfirmDialog
      title={t(isRenewal ? 'renewOf' : 'deleteOf', { label: user.label })}
      consequences={
        isRenewal
          ? [t('renewNext'), t('renewCut')]
          : [t('deleteNext'), t('deleteKept'), ...(user.reserved ? [t('deleteReserve')] : [])]
      }
      confirmLabel={t(isRenewal ? 'renew' : 'delete')}
      pending={isRenewal ? acts.renew.isPending : acts.remove.isPending}
      onConfirm={() =>
        isRenewal
          ? acts.renew.mutate(user.number, close)
          : acts.remove.mutate(user.number, {
              onSuccess() {
                onClose()
                onGone()
              },
            })
      }
      onClose={onClose}
    />
  )
}

function UsersSkeleton() {
  return (
    <div className={styles.list} aria-hidden="true">
      {[0, 1].map((index) => (
        <Card key={index} className={styles.skeleton}>
          <Skeleton characters={18} />
          <Skeleton characters={40} />
          <Skeleton characters={30} />
        </Card>
      ))}
    </div>
  )
}
