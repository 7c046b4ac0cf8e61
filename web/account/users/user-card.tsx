import ArrowUpDown from 'lucide-react/icons/arrow-up-down'
import BarChart from 'lucide-react/icons/chart-no-axes-column'
import Layers from 'lucide-react/icons/layers'
import Key from 'lucide-react/icons/key-round'
import Network from 'lucide-react/icons/network'
import Pencil from 'lucide-react/icons/pencil'
import Trash from 'lucide-react/icons/trash-2'
import Unplug from 'lucide-react/icons/unplug'
import { type ComponentType, useId } from 'react'
import { formatLine } from '#contract/proxy-lines'
import { userState, type UserState } from '#contract/proxy-users/rules'
import type { Pool } from '#contract/wire'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { query } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatDateTime, formatRecentTime } from '../../ui/format-time.ts'
import styles from './user-card.module.css'
import type { ProxyUser } from './user-form.ts'

export type UserAct = 'edit' | 'amount' | 'usage' | 'listed' | 'join' | 'end' | 'renew' | 'delete'

interface UserCardProps {
  user: ProxyUser
  pool: Pool
  /** The role of a member of the team allows changes. */
  mayAct: boolean
  /** There are pools that its login can be used in besides this one. */
  hasOtherPools: boolean
  /** When the figures were read, epoch milliseconds. */
  readAt: number
  isFreezing: boolean
  isSelected: boolean
  onSelect: (isSelected: boolean) => void
  onFreeze: (frozen: boolean) => void
  onOpen: (what: UserAct) => void
}

/** One proxy user: its state, its use of its limits, and the acts on it. */
export function UserCard(props: UserCardProps) {
  const { user, pool, readAt, mayAct, isFreezing, isSelected, onSelect, onFreeze } = props
  const { t } = useTranslation('proxyUsers')
  const language = useLanguage()
  const titleId = useId()
  const state = userState(user, readAt)
  const { used } = user
  return (
    <Card as="li" className={styles.card} aria-labelledby={titleId}>
      <div className={styles.top}>
        {mayAct && (
          <input
            type="checkbox"
            className={styles.select}
            aria-label={t('bulk.select', { label: user.label })}
            checked={isSelected}
            onChange={(event) => onSelect(event.target.checked)}
          />
        )}
        <div className={styles.titles}>
          <h3 id={titleId} className={styles.label}>
            {user.label}
          </h3>
          <State state={state} />
        </div>
        {mayAct && (
          <label className={styles.switch}>
            <span className={styles.switchText}>{t('on')}</span>
            <input
              type="checkbox"
              role="switch"
              aria-label={t('onOf', { label: user.label })}
              checked={!user.frozen}
              disabled={isFreezing}
              onChange={(event) => onFreeze(!event.target.checked)}
            />
          </label>
        )}
      </div>
      <Limits user={user} />
      <Facts user={user} />
      <Line user={user} pool={pool} mayAct={mayAct} />
      <div className={styles.foot}>
        <p className={styles.seen}>
          {used.last_at === null ? t('never') : t('last', { when: formatRecentTime(used.last_at, language) })}
        </p>
        <Acts {...props} />
      </div>
    </Card>
  )
}

/** The acts on it, each as a button. */
function Acts({ user, mayAct, hasOtherPools, onOpen }: UserCardProps) {
  const { t } = useTranslation('proxyUsers')
  const { label } = user
  const usage = <Act icon={BarChart} label={t('usageOf', { label })} onClick={() => onOpen('usage')} />
  if (!mayAct) return <div className={styles.acts}>{usage}</div>
  return (
    <div className={styles.acts}>
      {user.total_bytes !== null && (
        <Act icon={ArrowUpDown} label={t('amountOf', { label })} onClick={() => onOpen('amount')} />
      )}
      {usage}
      <Act icon={Pencil} label={t('editOf', { label })} onClick={() => onOpen('edit')} />
      <Act icon={Network} label={t('listedOf', { label })} onClick={() => onOpen('listed')} />
      {hasOtherPools && <Act icon={Layers} label={t('joinOf', { label })} onClick={() => onOpen('join')} />}
      <Act icon={Unplug} label={t('endOf', { label })} onClick={() => onOpen('end')} />
      <Act icon={Key} label={t('renewOf', { label })} onClick={() => onOpen('renew')} />
      <Act icon={Trash} label={t('deleteOf', { label })} onClick={() => onOpen('delete')} />
    </div>
  )
}

function State({ state }: { state: UserState }) {
  const { t } = useTranslation('proxyUsers')
  return (
    <span className={classNames(styles.state, styles[state])}>
      <span className={styles.dot} aria-hidden="true" />
      <span>{t(`stateOf.${state}`)}</span>
    </span>
  )
}

interface ActProps {
  icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean | 'true' }>
  label: string
  onClick: () => void
}

function Act({ icon: Icon, label, onClick }: ActProps) {
  return (
    <button type="button" className={styles.act} aria-label={label} title={label} onClick={onClick}>
      <Icon size={18} aria-hidden="true" />
    </button>
  )
}

/** The use of each limit, as bars; without limits only the sum. */
function Limits({ user }: { user: ProxyUser }) {
  const { t } = useTranslation('proxyUsers')
  const { traffic } = useFormat()
  const { used } = user
  const all = [
    [user.reserved ? 'reserve' : 'total', user.total_bytes, used.total_bytes],
    ['month', user.month_bytes, used.month_bytes],
    ['day', user.day_bytes, used.day_bytes],
  ] as const
  const limits = all.flatMap(([name, limit, bytes]) => (limit === null ? [] : [{ name, limit, bytes }]))
  if (limits.length === 0)
    return <p className={styles.unlimited}>{t('usedOnly', { used: traffic(BigInt(used.total_bytes)) })}</p>
  return (
    <ul className={styles.limits}>
      {limits.map(({ name, limit, bytes }) => (
        <li key={name} className={styles.limit}>
          <span className={styles.limitName}>{t(`per.${name}`)}</span>
          <span translate="no" className={classNames(styles.figures, 'mono')}>
            {t('of', { used: traffic(BigInt(bytes)), limit: traffic(BigInt(limit)) })}
          </span>
          <span className={styles.track} aria-hidden="true">
            <span
              className={classNames(styles.bar, bytes >= limit && styles.full)}
              style={{ width: `${limit === 0 ? 100 : Math.min(100, (bytes / limit) * 100)}%` }}
            />
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Its allowed places, its expiry and its restrictions. */
function Facts({ user }: { user: ProxyUser }) {
  const { t } = useTranslation('proxyUsers')
  const language = useLanguage()
  const { number } = useFormat()
  const facts = [
    user.expires_at === null ? null : t('until', { when: formatDateTime(user.expires_at, language) }),
    user.connections === null
      ? null
      : t('fact.connections', { count: user.connections, number: number(user.connections) }),
    listed(user.countries.map((code) => code.toUpperCase())),
    user.denied_countries.length === 0
      ? null
      : t('fact.except', {
          countries: listed(user.denied_countries.map((code) => code.toUpperCase())) ?? '',
        }),
    user.no_double_tariff ? t('noDouble') : null,
    listed(user.allowed_hosts),
    listed(user.addresses),
    listed(Object.entries(user.metadata).map(([key, value]) => `${key}: ${value}`)),
  ].filter((fact) => fact !== null)
  if (facts.length === 0) return null
  return (
    <ul className={styles.facts}>
      {facts.map((fact) => (
        <li key={fact} className={styles.fact}>
          {fact}
        </li>
      ))}
    </ul>
  )
}

const mostListed = 3

function listed(items: readonly string[]): string | null {
  if (items.length === 0) return null
  const shown = items.slice(0, mostListed).join(', ')
  return items.length > mostListed ? `${shown} +${items.length - mostListed}` : shown
}

/** The line that the customer gives to the user of this login. */
function Line({ user, pool, mayAct }: Pick<UserCardProps, 'user' | 'pool' | 'mayAct'>) {
  const { t } = useTranslation('proxyUsers')
  const site = useOptionalRead({ ...query('site', {}), staleTime: Infinity })
  // A role that may not act does not see passwords.
  if (!mayAct)
    return (
      <code translate="no" className={styles.login}>
        {user.login}
      </code>
    )
  if (user.password === null || user.password === undefined)
    return <p className={styles.unreadable}>{t('unreadable')}</p>
  const { login, password } = user
  const line =
    site === undefined
      ? ''
      : formatLine('login:password@hostname:port', {
          login,
          password,
          hostname: site.gateway.host,
          port: site.gateway.ports[pool],
        })
  return (
    <div className={styles.line}>
      <code translate="no" className={styles.login}>
        {login}
      </code>
      <CopyButton
        text={line}
        label={t('copyLine', { label: user.label })}
        copiedLabel={t('copied')}
        failedLabel={t('copyFailed')}
        iconOnly
      />
    </div>
  )
}
