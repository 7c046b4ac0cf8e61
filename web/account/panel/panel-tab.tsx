import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useCountryNames } from '../../app/country-name.ts'
import { useTranslation } from '../../app/i18n.ts'
import { useLanguage } from '../../app/language.ts'
import type { Session } from '../../app/session.ts'
import { toast } from '../../app/toast.ts'
import { Button } from '../../ui/button.tsx'
import { formatTraffic } from '../../ui/format.ts'
import { PoolChoice } from '../../ui/pool-choice.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { eachPool } from '../pool-in-use.tsx'
import { balanceOf, closedPools, poolInUse, usablePools } from '../profile.ts'
import type { Kind } from './choices.ts'
import { ConnectionRows, OutputRows } from './connection-rows.tsx'
import { FormatWindow } from './format-window.tsx'
import { useGenerate } from './generate.ts'
import { type Geo, useGeo } from './geo.ts'
import { withNames } from './names.ts'
import styles from './panel-tab.module.css'
import { PickWindow } from './pick-window.tsx'
import { NetworkRows, PlaceRows } from './place-rows.tsx'
import { ResultWindow } from './result-window.tsx'
import { Row, Section } from './rows.tsx'
import { regions, type Settings } from './settings.ts'
import { Summary } from './summary.tsx'
import { useSettings } from './use-settings.ts'

/** The generator: settings on the left, what they come to on the right. */
export function PanelTab({ user }: { user: Session }) {
  useCountryNames()
  const { settings: saved, change: save, reset, undo } = useSettings()
  const { asked, forget } = usePoolFromAddress(user)
  // A saved pool may have run dry since: the first usable one stands in for it.
  const usable: Settings = { ...saved, pool: poolInUse(user, asked ?? saved.pool) }
  const geo = useGeo(usable)
  const settings = withNames(usable, geo)
  const change = (next: Settings) => {
    save(next)
    if (next.pool !== asked) forget()
  }
  useFailureNotice(geo)
  const [picking, setPicking] = useState<Kind | 'format' | null>(null)
  const { generate, pending, result, closeResult } = useGenerate(user)
  const close = () => setPicking(null)
  return (
    <div className={styles.panel}>
      <div className={styles.controls}>
        <PoolSection user={user} settings={settings} onChange={change} />
        <PlaceRows settings={settings} geo={geo} onOpen={setPicking} />
        <NetworkRows settings={settings} onOpen={setPicking} />
        <ConnectionRows settings={settings} onChange={change} />
        <OutputRows settings={settings} onChange={change} onFormat={() => setPicking('format')} />
      </div>
      <Summary
        settings={settings}
        pending={pending}
        onGenerate={() => generate(settings)}
        onReset={() => {
          reset()
          forget()
        }}
        onUndo={undo}
      />
      <PickWindow
        kind={picking === 'format' ? null : picking}
        settings={settings}
        geo={geo}
        onChange={change}
        onClose={close}
      />
      {picking === 'format' && (
        <FormatWindow
          value={settings.access_format}
          onConfirm={(access_format) => {
            change({ ...settings, access_format })
            close()
          }}
          onClose={close}
        />
      )}
      {result !== null && <ResultWindow result={result} onClose={closeResult} />}
    </div>
  )
}

interface PoolSectionProps {
  user: Session
  settings: Settings
  onChange: (settings: Settings) => void
}

function PoolSection({ user, settings, onChange }: PoolSectionProps) {
  const { t } = useTranslation(['userPanel', 'header'])
  const language = useLanguage()
  const names = eachPool((pool) => t(`header:pools.${pool}`))
  const figures = eachPool((pool) => formatTraffic(balanceOf(user, pool), language))
  return (
    <Section title={t('pool.label')}>
      {usablePools(user).length === 0 && (
        <div className={styles.dry}>
          <p>
            <strong>{t('pool.allClosed')}.</strong> {t('pool.allClosedText')}
          </p>
          <Button variant="plain" href="/purchase">
            {t('pool.buy')}
          </Button>
        </div>
      )}
      <div className={styles.pools}>
        <PoolChoice
          label={t('pool.label')}
          value={settings.pool}
          names={names}
          figures={figures}
          closed={closedPools(user, t('pool.closed'))}
          onChange={(pool) => onChange({ ...settings, pool })}
        />
      </div>
      <Row label={t('region.label')} hint={t('region.hint')}>
        <Segmented
          label={t('region.label')}
          value={settings.region}
          options={regions.map((value) => ({ value, label: t(`region.${value}`) }))}
          onChange={(region) => onChange({ ...settings, region })}
        />
      </Row>
    </Section>
  )
}

/** The pool of `?pool=mobile`, until another is chosen; after that the saved settings speak. */
function usePoolFromAddress(user: Session) {
  const [search, setSearch] = useSearchParams()
  const asked = usablePools(user).find((pool) => pool === search.get('pool'))
  const forget = () => {
    if (!search.has('pool')) return
    setSearch(
      (now) => {
        now.delete('pool')
        return now
      },
      { replace: true, preventScrollReset: true },
    )
  }
  return { asked, forget }
}

/** One notice when a list cannot be loaded, however many fail at once. */
function useFailureNotice(geo: Geo): void {
  const { t } = useTranslation('userPanel')
  const failed = Object.values(geo).some((list) => list.isError)
  useEffect(() => {
    if (failed) toast.error(t('faults.list'))
  }, [failed, t])
}
