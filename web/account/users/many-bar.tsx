import { useState } from 'react'
import type { Output } from '#contract/contract'
import { useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { useMany } from './use-many.ts'
import type { ProxyUser } from './user-form.ts'
import styles from './many-bar.module.css'

type Acted = Output<'freeze_proxy_users'>['users'][number]
type Act = 'freeze' | 'free' | 'delete'

interface ManyBarProps {
  /** The listed proxy users that may be selected. */
  users: readonly ProxyUser[]
  selected: ReadonlySet<number>
  onSelect: (numbers: readonly number[]) => void
  many: ReturnType<typeof useMany>
}

/** Selects proxy users, and acts on the selected ones. */
export function ManyBar({ users, selected, onSelect, many }: ManyBarProps) {
  const { t } = useTranslation('proxyUsers')
  const { number } = useFormat()
  const [asked, setAsked] = useState<Act | null>(null)
  const [result, setResult] = useState<readonly Acted[] | null>(null)
  const chosen = users.filter((user) => selected.has(user.number))
  const isAll = users.length > 0 && chosen.length === users.length
  const act = (what: Act) =>
    many.mutate(
      { act: what, numbers: chosen.map((user) => user.number) },
      {
        onSuccess(answer) {
          setAsked(null)
          onSelect([])
          // The names of those that were left out, and why.
          if (answer.done < answer.users.length) setResult(answer.users)
        },
      },
    )
  return (
    <div className={styles.bar}>
      <label className={styles.all}>
        <input
          type="checkbox"
          checked={isAll}
          onChange={() => onSelect(isAll ? [] : users.map((user) => user.number))}
        />
        <span>{t('bulk.all')}</span>
      </label>
      {chosen.length > 0 && (
        <div className={styles.acts} role="group" aria-label={t('bulk.acts')}>
          <span role="status">{t('bulk.selected', { number: number(chosen.length) })}</span>
          {(['freeze', 'free', 'delete'] as const).map((what) => (
            <Button key={what} onClick={() => setAsked(what)}>
              {t(`bulk.${what}`)}
            </Button>
          ))}
          <Button disabled={many.isCopying} onClick={() => many.copyLines(chosen.map((user) => user.number))}>
            {t('bulk.lines')}
          </Button>
        </div>
      )}
      {asked !== null && (
        <Dialog
          open
          onClose={() => setAsked(null)}
          title={t(`bulk.${asked}Of`, { count: chosen.length, number: number(chosen.length) })}
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
            {chosen.map((user) => (
              <li key={user.number}>{user.label}</li>
            ))}
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
    <Dialog open onClose={onClose} title={t('bulk.result')} closeLabel={t('close')}>
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
