import Plus from 'lucide-react/icons/plus'
import { Suspense, useEffect, useRef, useState } from 'react'
import type { Pool } from '#contract/wire'
import { useTranslation } from '../../state/i18n.ts'
import { lazyPart, whenIdle } from '../../state/loading/code.ts'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { query } from '../../state/reads/queries.ts'
import type { Session } from '../../state/session.ts'
import { roleAllows, useRoleAllows } from '../../state/team/team.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useSearchParameter } from '../../state/search-parameter.ts'
import { PoolPicker, usePoolInAddress } from '../pool-picker.tsx'
import { knownPools, useShownPools } from '../profile.ts'
import { DeletedCard } from './deleted-card.tsx'
import { ManyBar } from './many-bar.tsx'
import type { Opened } from './opened-dialog.tsx'
import { UserCard } from './user-card.tsx'
import { useMany } from './use-many.ts'
import { useUsers } from './use-users.ts'
import styles from './users-tab.module.css'

const loadDialogs = () => import('./opened-dialog.tsx')
const OpenedDialog = lazyPart(async () => (await loadDialogs()).OpenedDialog)

/** Proxy users of a pool: logins with limits of their own that a customer gives to others. */
export function UsersTab({ user }: { user: Session }) {
  // A pool whose traffic is used up still has its proxy users.
  const choosable = knownPools(user)
  const { pool, choose } = usePoolInAddress(user, choosable)
  return (
    <div className={styles.users}>
      <PoolPicker user={user} value={pool} choosable={choosable} onChange={choose} />
      {choosable.includes(pool) ? (
        <Users key={pool} user={user} pool={pool} onPool={choose} />
      ) : (
        <NoPool pool={pool} />
      )}
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
  const mayBuy = useRoleAllows('create_invoice_web')
  return (
    <Card as="section" className={styles.empty}>
      <Purpose />
      <p>{t('noPool')}</p>
      {mayBuy && (
        <Button variant="primary" href={`/purchase?pool=${pool}`}>
          {t('buy')}
        </Button>
      )}
    </Card>
  )
}

type CardProps = Parameters<typeof UserCard>[0]

interface UsersProps {
  user: Session
  pool: Pool
  onPool: (pool: Pool) => void
}

function Users({ user, pool, onPool }: UsersProps) {
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
  useEffect(() => whenIdle(loadDialogs), [])
  const mayAct = roleAllows(user, 'change_proxy_user')
  const hasOtherPools = useShownPools(user).length > 1
  const heading = useRef<HTMLHeadingElement>(null)
  const { data, isError, refetch } = acts.users
  if (data === undefined) return isError ? <Failed onRetry={() => void refetch()} /> : <UsersSkeleton />
  const pages = data.pages
  const users = pages.flatMap((page) => page.users)
  const [{ count, most, time_zone } = { count: 0, most: 0, time_zone: '' }] = pages
  const hasMore = count > (pages[0]?.users.length ?? 0)
  // `?user=…` is the login of a proxy user whose form is opened: what repairs a refused request leads there.
  const asked = users.find(({ login }) => login === wished) ?? found?.users[0]
  const opened: Opened | null =
    chosen ?? (asked === undefined || !mayAct ? null : { kind: 'edit', number: asked.number })
  const close = () => {
    setOpened(null)
    if (search.has('user')) setParameter('user', null)
  }
  const create = mayAct && (
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
          <div>
            <Segmented
              label={t('which')}
              value={isDeleted ? 'deleted' : 'live'}
              options={(['live', 'deleted'] as const).map((value) => ({
                value,
                label: t(`whichOf.${value}`),
              }))}
              onChange={(which) => showDeleted(which === 'deleted')}
            />
          </div>
          {hasMore || sought !== '' ? <Search onSeek={seek} /> : null}
          {!isDeleted && mayAct && users.length > 0 && (
            <ManyBar
              users={users}
              total={sought === '' ? count : users.length}
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
            mayAct={mayAct}
            hasOtherPools={hasOtherPools}
            selected={selected}
            onSelect={select}
            onOpen={(kind, each) => setOpened({ kind, number: each })}
          />
          <MoreButton {...acts.users} />
          <p className={styles.quiet}>{t('shared', { zone: time_zone })}</p>
        </section>
      )}
      {opened !== null && (
        <Suspense fallback={null}>
          <OpenedDialog
            opened={opened}
            users={asked === undefined ? users : [...users, asked]}
            timeZone={time_zone}
            customer={user}
            pool={pool}
            acts={acts}
            onClose={close}
            onGone={() => heading.current?.focus()}
            onPool={onPool}
          />
        </Suspense>
      )}
    </>
  )
}

function Failed({ onRetry }: { onRetry: () => void }) {
  const { t } = useTranslation('proxyUsers')
  return (
    <Card as="section" className={styles.empty} role="status">
      <p>{t('loadFailed')}</p>
      <Button onClick={onRetry}>{t('retry')}</Button>
    </Card>
  )
}

type MoreProps = Pick<
  ReturnType<typeof useUsers>['users'],
  'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
>

function MoreButton({ hasNextPage, isFetchingNextPage, fetchNextPage }: MoreProps) {
  const { t } = useTranslation('proxyUsers')
  if (!hasNextPage) return null
  return (
    <Button className={styles.more} disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
      {t('more')}
    </Button>
  )
}

interface CardsProps extends Pick<CardProps, 'pool' | 'mayAct' | 'hasOtherPools'> {
  users: readonly CardProps['user'][]
  acts: ReturnType<typeof useUsers>
  selected: ReadonlySet<number>
  onSelect: (selected: ReadonlySet<number>) => void
  onOpen: (kind: Parameters<CardProps['onOpen']>[0], number: number) => void
}

/** A card for each proxy user; of a deleted one it has the history. */
function Cards({ users, acts, selected, onSelect, onOpen, ...common }: CardsProps) {
  return (
    <ul className={styles.list}>
      {users.map((each) =>
        each.deleted_at !== null ? (
          <DeletedCard key={each.number} user={each} onUsage={() => onOpen('usage', each.number)} />
        ) : (
          <UserCard
            {...common}
            key={each.number}
            user={each}
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
