import { useState } from 'react'
import type { Output } from '#contract/contract'
import { useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { Chosen, useMany } from './use-many.ts'
import type { ProxyUser } from './user-form.ts'
import styles from './many-bar.module.css'

type Acted = Output<'freeze_proxy_users'>['users'][number]
type Act = 'freeze' | 'free' | 'delete'

interface ManyBarProps {
  /** The listed proxy users that may be selected. */
  users: readonly ProxyUser[]
  /** How many there are, also those that are not listed yet. */
  total: number
  selected: ReadonlySet<number>
  onSelect: (numbers: readonly number[]) => void
  many: ReturnType<typeof useMany>
}

/** Selects proxy users, and acts on the selected ones. */
export function ManyBar({ users, total, selected, onSelect, many }: ManyBarProps) {
  const { t } = useTranslation('proxyUsers')
  const { number } = useFormat()
  const [asked, setAsked] = useState<Act | null>(null)
  const [result, setResult] = useState<readonly Acted[] | null>(null)
  const [wantsEvery, setEvery] = useState(false)
  const listed = users.filter((user) => selected.has(user.number))
  const isAll = users.length > 0 && listed.length === users.length
  const hasMore = total > users.length
  // If one of the listed is deselected, only the other listed ones are selected.
  const isEvery = wantsEvery && isAll && hasMore
  const count = isEvery ? total : listed.length
  const chosen: Chosen = isEvery ? 'every' : listed.map((user) => user.number)
  const act = (what: Act) =>
    many.mutate(
      { act: what, chosen },
      {
        onSuccess(answer) {
          setAsked(null)
          onSelect([])
          setEvery(false)
          // Names those that were left out, with the reason; acting on every proxy user names none.
          if (!isEvery && answer.done < answer.users.length) setResult(answer.users)
        },
      },
    )
  return (
    <div className={styles.bar}>
      <label className={styles.all}>
        <input
          type="checkbox"
          checked={isAll}
          onChange={() => {
            setEvery(false)
            onSelect(isAll ? [] : users.map((user) => user.number))
          }}
        />
        <span>{t('bulk.all')}</span>
      </label>
      {isAll && hasMore && !isEvery && (
        <Button size="small" onClick={() => setEvery(true)}>
          {t('bulk.every', { number: number(total) })}
        </Button>
      )}
      {count > 0 && (
        <div className={styles.acts} role="group" aria-label={t('bulk.acts')}>
          <span role="status">
            {hasMore && !isEvery
              ? t('bulk.selectedOf', { number: number(count), total: number(total) })
              : t('bulk.selected', { number: number(count) })}
          </span>
          {(['freeze', 'free', 'delete'] as const).map((what) => (
            <Button key={what} onClick={() => setAsked(what)}>
              {t(`bulk.${what}`)}
            </Button>
          ))}
          <Button disabled={many.isCopying} onClick={() => many.copyLines(chosen)}>
            {t('bulk.lines')}
          </Button>
        </div>
      )}
      {asked !== null && (
        <Dialog
          open
          compact
          onClose={() => setAsked(null)}
          title={t(`bulk.${asked}Of`, { count, number: number(count) })}
          closeLabel={t('close')}
          footer={
            <>
              <Button onClick={() => setAsked(null)}>{t('cancel')}</Button>
              <Button variant="primary" pending={many.isPending} onClick={() => act(asked)}>
                {t(`bulk.${asked}`)}
              </Button>
            </>
          }
        >
          <p>{t(`bulk.${asked}Next`)}</p>
          <ul className={styles.names}>
            {listed.map((user) => (
              <li key={user.number}>{user.label}</li>
            ))}
            {isEvery && <li>{t('bulk.more', { number: number(total - listed.length) })}</li>}
          </ul>
        </Dialog>
      )}
      {result !== null && <LeftOut users={result} onClose={() => setResult(null)} />}
    </div>
  )
}

/** Those that an act left out, and why. */
function LeftOut({ users, onClose }: { users: readonly Acted[]; onClose: () => void }) {
  const { t } = useTranslation('proxyUsers')
  const { number } = useFormat()
  const left = users.flatMap(({ label, outcome }) => (outcome === 'done' ? [] : [{ label, outcome }]))
  const done = users.length - left.length
  return (
    <Dialog open compact onClose={onClose} title={t('bulk.result')} closeLabel={t('close')}>
      <p>{t('bulk.done', { number: number(done) })}</p>
      <ul className={styles.names}>
        {left.map(({ label, outcome }, index) => (
          <li key={index}>
            <span>{label}</span>
            <span> — </span>
            <span>{t(`bulk.why.${outcome}`)}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
