import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { regions } from '#contract/proxy-lines'
import type { Pool } from '#contract/wire'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useSearchParameter } from '../../state/search-parameter.ts'
import type { Session } from '../../state/session.ts'
import { useRegions } from '../../state/site.ts'
import { roleAllows } from '../../state/team/team.ts'
import { lazyPart, whenIdle } from '../../state/loading/code.ts'
import { toast } from '../../state/toast.ts'
import { Button } from '../../ui/button.tsx'
import { formatTraffic } from '../../ui/format.ts'
import { PoolChoice } from '../../ui/fields/pool-choice.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { recordByPool } from '../pool-picker.tsx'
import { balanceOf, disabledPools, usablePool, usablePools, useShownPools } from '../profile.ts'
import type { Kind } from '../panel/choices.ts'
import { ConnectionRows, OutputRows } from '../panel/connection-rows.tsx'
import { useGenerate } from '../panel/use-generate.ts'
import { type Geo, useGeo } from '../panel/use-geo.ts'
import { withNames } from '../panel/place-names.ts'
import styles from './generator-tab.module.css'
import { LineFigures } from './line-figures.tsx'
import { LiveLine } from './live-line.tsx'
import { hadPresets, Presets } from './presets.tsx'
import { NetworkRows, PlaceRows } from '../panel/place-rows.tsx'
import { requestParameters, withRequested } from '../panel/requested.ts'
import { Row, Section } from '../panel/setting-rows.tsx'
import type { Settings } from '../panel/settings.ts'
import { Summary } from '../panel/summary.tsx'
import { UserRow } from '../panel/user-row.tsx'
import { useSettings } from '../panel/use-settings.ts'

const FormatDialog = lazyPart(async () => (await import('../panel/format-dialog.tsx')).FormatDialog)
const loadPickDialog = () => import('../panel/pick-dialog.tsx')
const PickDialog = lazyPart(async () => (await loadPickDialog()).PickDialog)
const ResultDialog = lazyPart(async () => (await import('../panel/result-dialog.tsx')).ResultDialog)
const Trial = lazyPart(async () => (await import('./trial.tsx')).Trial)

/** The generator: settings on the left, their summary on the right. */
export function GeneratorTab({ user }: { user: Session }) {
  const { settings: saved, change: save, reset, undo } = useSettings()
  const { requested, search, forget } = useRequested(user)
  const asked = withRequested(saved, search)
  // The saved pool may have become empty: the first usable one replaces it.
  const usable: Settings = { ...asked, pool: usablePool(user, requested ?? asked.pool) }
  const geo = useGeo(usable)
  const settings = withNames(usable, geo)
  const change = (next: Settings) => {
    save(next)
    forget(next.pool)
  }
  useFailureToast(geo)
  useEffect(() => whenIdle(loadPickDialog), [])
  const [chosenUser, setChosenUser] = useState<{ pool: Pool; number: number | null } | null>(null)
  // A proxy user belongs to one pool.
  const proxyUser = chosenUser?.pool === settings.pool ? chosenUser.number : null
  const [picking, setPicking] = useState<Kind | 'format' | null>(null)
  const { generate, pending, result, closeResult } = useGenerate(user)
  const close = () => setPicking(null)
  // The last visit decides where it stands, so that nothing moves when the presets have been read.
  const [isPresetsFirst] = useState(hadPresets)
  const presets = (
    <Presets
      settings={settings}
      proxyUser={proxyUser}
      onChoose={(chosen) => {
        change(chosen.settings)
        setChosenUser({ pool: chosen.settings.pool, number: chosen.proxyUser })
      }}
    />
  )
  return (
    <div className={styles.panel}>
      <div className={styles.controls}>
        {isPresetsFirst && presets}
        <PoolSection user={user} settings={settings} onChange={change}>
          {user[settings.pool].password !== null && (
            <UserRow
              pool={settings.pool}
              value={proxyUser}
              onChange={(number) => setChosenUser({ pool: settings.pool, number })}
            />
          )}
        </PoolSection>
        <PlaceRows settings={settings} geo={geo} onOpen={setPicking} />
        <NetworkRows settings={settings} onOpen={setPicking} />
        <ConnectionRows settings={settings} onChange={change} />
        <OutputRows settings={settings} onChange={change} onFormat={() => setPicking('format')} />
        <Suspense fallback={null}>
          <Trial settings={settings} proxyUser={proxyUser} />
        </Suspense>
        {!isPresetsFirst && presets}
      </div>
      <Summary
        settings={settings}
        pending={pending}
        onGenerate={() => generate({ settings, proxyUser })}
        onReset={() => {
          reset()
          forget(null)
        }}
        onUndo={undo}
      >
        <LiveLine user={user} settings={settings} proxyUser={proxyUser} />
        <LineFigures settings={settings} geo={geo} />
      </Summary>
      {picking !== null && picking !== 'format' && (
        <Suspense fallback={null}>
          <PickDialog kind={picking} settings={settings} geo={geo} onChange={change} onClose={close} />
        </Suspense>
      )}
      {picking === 'format' && (
        <Suspense fallback={null}>
          <FormatDialog
            value={settings.access_format}
            onConfirm={(access_format) => {
              change({ ...settings, access_format })
              close()
            }}
            onClose={close}
          />
        </Suspense>
      )}
      {result !== null && (
        <Suspense fallback={null}>
          <ResultDialog
            result={result}
            pending={pending}
            onSticky={() => generate({ ...result, settings: { ...result.settings, session_type: 'sticky' } })}
            onClose={closeResult}
          />
        </Suspense>
      )}
    </div>
  )
}

interface PoolSectionProps {
  user: Session
  settings: Settings
  onChange: (settings: Settings) => void
  children: ReactNode
}

function PoolSection({ user, settings, onChange, children }: PoolSectionProps) {
  const { t } = useTranslation(['userPanel', 'header', 'generator'])
  const language = useLanguage()
  const withHost = useRegions()
  const withoutHost = regions.filter((region) => !withHost.includes(region))
  const regionHint = [
    t('region.hint'),
    ...(withoutHost.length === 0
      ? []
      : withHost.length === 0
        ? [t('generator:oneHost')]
        : [t('generator:noHost', { names: withoutHost.map((region) => t(`region.${region}`)).join(', ') })]),
  ].join(' ')
  const names = recordByPool((pool) => t(`header:pools.${pool}`))
  // A preset or a link may name a pool that is neither sold nor held.
  const shown = useShownPools(user)
  const isStranger = !shown.includes(settings.pool)
  const offered = isStranger ? [...shown, settings.pool] : shown
  const unsold = isStranger ? { [settings.pool]: t('pool.notSold') } : {}
  const figures = recordByPool((pool) => formatTraffic(balanceOf(user, pool), language))
  return (
    <Section title={t('pool.label')}>
      {usablePools(user).length === 0 && (
        <div className={styles.noTraffic}>
          <p>
            <strong>{`${t('pool.allClosed')}.`}</strong> <span>{t('pool.allClosedText')}</span>
          </p>
          {roleAllows(user, 'create_invoice_web') && (
            <Button variant="secondary" href="/purchase">
              {t('pool.buy')}
            </Button>
          )}
        </div>
      )}
      <div className={styles.pools}>
        <PoolChoice
          label={t('pool.label')}
          offered={offered}
          value={settings.pool}
          names={names}
          figures={figures}
          disabled={{ ...disabledPools(user, t('pool.closed')), ...unsold }}
          onChange={(pool) => onChange({ ...settings, pool })}
        />
      </div>
      {children}
      <Row label={t('region.label')} hint={regionHint}>
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

/**
 * The settings in the address, which replace the saved ones until the customer changes something; the same
 * holds for the pool.
 */
function useRequested(user: Session) {
  const [search, , setParameters] = useSearchParameter()
  const requested = usablePools(user).find((pool) => pool === search.get('pool'))
  const forget = (pool: Pool | null) => {
    const gone = requestParameters.filter((name) => search.has(name))
    const all = search.has('pool') && pool !== requested ? [...gone, 'pool'] : gone
    if (all.length > 0) setParameters(Object.fromEntries(all.map((name) => [name, null])))
  }
  return { requested, search, forget }
}

/** One notification when lists fail to load, however many fail at once. */
function useFailureToast(geo: Geo): void {
  const { t } = useTranslation('userPanel')
  const isFailed = Object.values(geo).some((list) => list.isError)
  useEffect(() => {
    if (isFailed) toast.error(t('faults.list'))
  }, [isFailed, t])
}
