import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Input, Output } from '#contract/contract'
import { offWords } from '#contract/topup/words'
import type { Pool } from '#contract/wire'
import { useSitePools } from '../../state/places/sold-pools.ts'
import { call } from '../../state/api.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useMay } from '../../state/team/team.ts'
import { toast } from '../../state/toast.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { formatRecentTime } from '../../ui/format-time.ts'
import { PoolIcon } from '../../ui/graphics/pool-icon.tsx'
import { ReadFailedCard } from '../read-failed.tsx'
import { toastFailure } from '../toast-failure.ts'
import { LastCharge } from './last-charge.tsx'
import { keepTopUps, topUpsQuery } from './queries.ts'
import styles from './topup-card.module.css'
import { TopUpForm } from './topup-form.tsx'

type TopUps = Output<'get_top_ups'>
type TopUp = TopUps['pools'][number]

/** Automatic top-up: the saved methods, the settings, and the last charge. */
export function TopUpTab() {
  const { t } = useTranslation('userBtns')
  const language = useLanguage()
  const read = useQuery(topUpsQuery(language))
  const { data } = read
  const [editing, setEditing] = useState<Pool | null>(null)
  const { sold } = useSitePools()
  const may = useMay('set_top_up')
  if (data === undefined) return read.isError ? <ReadFailedCard what={t('topUp.title')} read={read} /> : null
  if (data.methods.length === 0 && data.saved.length === 0 && data.pools.length === 0)
    return (
      <Card as="section" aria-label={t('topUp.title')}>
        <p className={styles.text}>{t('noTopUp')}</p>
      </Card>
    )
  const free = sold.find((pool) => data.pools.every((one) => one.pool !== pool))
  const mayAdd = may && data.saved.length > 0 && free !== undefined && data.methods.length > 0
  return (
    <Card as="section" aria-label={t('topUp.title')}>
      <h2 className={styles.title}>{t('topUp.title')}</h2>
      <p className={styles.text}>{t('topUp.text')}</p>
      <SavedMethods topUps={data} mayChange={may} />
      {data.pools.length > 0 && (
        <ul className={styles.pools}>
          {data.pools.map((topUp) => (
            <PoolRow key={topUp.pool} topUp={topUp} topUps={data} onEdit={() => setEditing(topUp.pool)} />
          ))}
        </ul>
      )}
      {editing !== null && (
        <TopUpForm key={editing} topUps={data} pool={editing} onDone={() => setEditing(null)} />
      )}
      {mayAdd && editing === null && (
        <Button className={styles.add} onClick={() => setEditing(free)}>
          {t(data.pools.length === 0 ? 'topUp.setUp' : 'topUp.setUpMore')}
        </Button>
      )}
    </Card>
  )
}

/** A change of the settings; its answer is shown at once. */
function useChange<N extends 'switch_off_top_up' | 'remove_saved_method'>(name: N, done: string) {
  const { t } = useTranslation('userBtns')
  const language = useLanguage()
  return useMutation({
    mutationFn: (input: Input<N>): Promise<TopUps> => call(name, input) as Promise<TopUps>,
    onSuccess: (saved) => {
      keepTopUps(language, saved)
      toast.success(done)
    },
    onError: (error) => toastFailure(error, t('topUp.failed')),
  })
}

const cardName = ({ brand, last4 }: { brand: string; last4: string | null }) =>
  last4 === null ? brand : `${brand}\u{a0}••\u{a0}${last4}`

/** "12/30", as cards have it. */
const expiry = (month: string) => `${month.slice(5)}/${month.slice(2, 4)}`

function SavedMethods({ topUps, mayChange }: { topUps: TopUps; mayChange: boolean }) {
  const { t } = useTranslation('userBtns')
  const remove = useChange('remove_saved_method', t('topUp.removed'))
  const { saved, saving, methods } = topUps
  return (
    <>
      {saved.length > 0 && (
        <ul className={styles.methods} aria-label={t('topUp.savedMethods')}>
          {saved.map(({ id, expires, ...known }) => (
            <li key={id} className={styles.method}>
              <span className={styles.card}>{cardName(known)}</span>
              {expires !== null && (
                <span className={styles.quiet}>{t('topUp.expires', { date: expiry(expires) })}</span>
              )}
              {mayChange && (
                <button
                  type="button"
                  className={styles.link}
                  aria-label={t('topUp.removeThis', { card: cardName(known) })}
                  aria-disabled={remove.isPending || undefined}
                  onClick={() => !remove.isPending && remove.mutate({ id })}
                >
                  {t('topUp.remove')}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {saving && (
        <p className={styles.text} role="status">
          {t('topUp.saving')}
        </p>
      )}
      {saved.length === 0 && !saving && methods.length > 0 && (
        <div className={styles.none}>
          <p className={styles.text}>{t('topUp.noMethod')}</p>
          {mayChange && <Button href="/purchase">{t('topUp.saveOne')}</Button>}
        </div>
      )}
    </>
  )
}

interface PoolRowProps {
  topUp: TopUp
  topUps: TopUps
  onEdit: () => void
}

function PoolRow({ topUp, topUps, onEdit }: PoolRowProps) {
  const { t } = useTranslation(['userBtns', 'header'])
  const { usd, number, traffic } = useFormat()
  const language = useLanguage()
  const may = useMay('set_top_up')
  const off = useChange('switch_off_top_up', t('topUp.isOff'))
  const { pool, on, off_reason: reason, not_before: notBefore } = topUp
  const mayChange = may && topUps.saved.length > 0 && topUps.methods.length > 0
  const name = t(`header:pools.${pool}`)
  const terms = {
    below: traffic(BigInt(topUp.below_bytes)),
    gb: number(topUp.gb),
    month: usd(topUp.month_usd),
  }
  return (
    <li className={styles.pool}>
      <h3 className={styles.name}>
        <PoolIcon pool={pool} size={20} />
        <span>{name}</span>
        <span className={on ? styles.on : styles.off}>{t(on ? 'topUp.on' : 'topUp.off')}</span>
      </h3>
      <p>{t('topUp.terms', terms)}</p>
      <p className={styles.quiet}>
        {t('topUp.charged', { charged: usd(topUp.charged_usd), month: terms.month })}
      </p>
      {reason !== null && <p className={styles.reason}>{offWords[language][reason]}</p>}
      {notBefore !== null && (
        <p className={styles.reason}>
          {t('topUp.notBefore', { date: formatRecentTime(notBefore, language) })}
        </p>
      )}
      <LastCharge charge={topUp.last} />
      {may && (
        <p className={styles.acts}>
          {on && (
            <Button
              size="small"
              pending={off.isPending}
              aria-label={t('topUp.switchOffIn', { pool: name })}
              onClick={() => off.mutate({ pool })}
            >
              {t('topUp.switchOff')}
            </Button>
          )}
          {mayChange && (
            <Button
              size="small"
              variant={on ? 'ghost' : 'secondary'}
              aria-label={t(on ? 'topUp.changeIn' : 'topUp.switchOnIn', { pool: name })}
              onClick={onEdit}
            >
              {t(on ? 'topUp.change' : 'topUp.switchOn')}
            </Button>
          )}
        </p>
      )}
    </li>
  )
}
