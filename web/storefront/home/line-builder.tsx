import { useQuery } from '@tanstack/react-query'
import ArrowRight from 'lucide-react/icons/arrow-right'
import ChevronDown from 'lucide-react/icons/chevron-down'
import { useState } from 'react'
import type { Pool } from '#contract/wire'
import { defaultSessionMinutes } from '#contract/session-times'
import { type Countries, countriesQuery } from '../../state/places/countries.ts'
import { keepDestination } from '../../state/destination.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useSession } from '../../state/session.ts'
import { useSite } from '../../state/site.ts'
import { soldPool, useSitePools } from '../../state/places/sold-pools.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import styles from './line-builder.module.css'
import { lineText, newSessionId, sampleLine, type Session } from './sample-line.ts'
import { TypedLine } from './typed-line.tsx'

/** A small generator with the current countries and counts and the grammar of real lines. */
export function LineBuilder() {
  const { t } = useTranslation('home')
  const signedIn = useSession() !== null
  const pool = soldPool(useSitePools().sold, 'residential')
  const read = useQuery(countriesQuery(pool, useLanguage()))
  const { data: countries = [], isPending } = read
  const [chosen, setChosen] = useState<string | null>(null)
  const [session, setSession] = useState<Session>('sticky')
  const [sessionId, setSessionId] = useState('8f3a2c')
  const country = chosen ?? countries[0]?.code ?? ''
  const choose = (next: { country?: string; session?: Session }) => {
    if (next.country !== undefined) setChosen(next.country)
    if (next.session !== undefined) setSession(next.session)
    setSessionId(newSessionId())
  }
  const parts = sampleLine({
    country: country === '' ? null : country,
    session,
    sessionId,
    entryPoint: useEntryPoint(pool),
  })
  const places = country === '' ? '' : `&countries=${country}`
  // Visitors who sign up first also arrive at the panel with the choices made here.
  const panel = `/account?tab=panel${places}&session=${session}`
  return (
    <section className={styles.builder} aria-label={t('builder.heading')}>
      <div className={styles.controls}>
        <div className={styles.top}>
          <h2 className={styles.heading}>{t('builder.heading')}</h2>
          {read.isError && read.data === undefined ? (
            <Button size="small" pending={read.isFetching} onClick={() => void read.refetch()}>
              {t('builder.reload')}
            </Button>
          ) : (
            <AddressCount country={country} countries={countries} pending={isPending} />
          )}
        </div>
        <CountryField
          country={country}
          countries={countries}
          onCountry={(code) => choose({ country: code })}
        />
        <SessionField session={session} onSession={(next) => choose({ session: next })} />
      </div>
      <TypedLine parts={parts} />
      <div className={styles.actions}>
        <CopyButton
          text={lineText(parts)}
          label={t('builder.copy')}
          copiedLabel={t('builder.copied')}
          failedLabel={t('builder.copyFailed')}
        />
        <Button
          variant="ghost"
          href={signedIn ? panel : '/register'}
          onFollow={() => !signedIn && keepDestination(new URL(panel, window.location.origin))}
        >
          <span>{t('builder.own')}</span>
          <ArrowRight size={18} aria-hidden="true" />
        </Button>
      </div>
      <p className={styles.note}>{t('builder.example')}</p>
    </section>
  )
}

/** The host and port of lines of the pool. */
function useEntryPoint(pool: Pool): string | null {
  const gateway = useSite()?.gateway
  return gateway === undefined ? null : `${gateway.host}:${gateway.ports[pool]}`
}

function AddressCount(props: { country: string; countries: Countries; pending: boolean }) {
  const { t } = useTranslation('home')
  const { number } = useFormat()
  const { country, countries, pending } = props
  if (pending) return <Skeleton characters={14} className={styles.count} />
  if (countries.length === 0) return null
  const counted = country === '' ? countries : countries.filter((each) => each.code === country)
  const count = counted.reduce((sum, each) => sum + each.count, 0)
  return <span className={styles.count}>{t('builder.addresses', { count, formatted: number(count) })}</span>
}

function CountryField(props: { country: string; countries: Countries; onCountry: (code: string) => void }) {
  const { t } = useTranslation('home')
  const language = useLanguage()
  const named = props.countries.toSorted((a, b) => a.name.localeCompare(b.name, language))
  return (
    <label className={styles.field}>
      <span className={styles.label}>{t('builder.country')}</span>
      <span className={styles.selectBox}>
        <select
          className={styles.select}
          value={props.country}
          onChange={(event) => props.onCountry(event.target.value)}
        >
          <option value="">{t('builder.any')}</option>
          {named.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
        <ChevronDown className={styles.chevron} size={18} aria-hidden="true" />
      </span>
    </label>
  )
}

function SessionField({ session, onSession }: { session: Session; onSession: (session: Session) => void }) {
  const { t } = useTranslation('home')
  const options = (['sticky', 'rotating'] as const).map((value) => ({ value, label: t(`builder.${value}`) }))
  return (
    <div className={styles.field}>
      <span className={styles.label} aria-hidden="true">
        {t('builder.session')}
      </span>
      <Segmented label={t('builder.session')} value={session} options={options} onChange={onSession} wide />
      <p className={styles.hint}>{t(`builder.${session}Hint`, { count: defaultSessionMinutes })}</p>
    </div>
  )
}
