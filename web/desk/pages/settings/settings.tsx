import { useQuery } from '@tanstack/react-query'
import { useSearchParameter } from '../../../state/search-parameter.ts'
import { useTranslation } from '../../../state/i18n.ts'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { query } from '../../state/api.ts'
import { Alerts } from './alerts.tsx'
import { Connections } from './connections.tsx'
import { EnvironmentTable } from './environment.tsx'
import { SettingHistory } from './history.tsx'
import { OwnSettings } from './own-settings.tsx'
import styles from './settings.module.css'

const tabs = ['own', 'connections', 'alerts', 'environment', 'history'] as const

export function SettingsPage() {
  const { t } = useTranslation('deskSettings')
  const [search, setParameter] = useSearchParameter()
  const settings = useQuery(query('settings', {}))
  const tab = tabs.find((each) => each === search.get('tab')) ?? 'own'
  return (
    <>
      <PageHead title={t('settings.title')} />
      <div className={styles.page}>
        <Segmented
          label={t('settings.show')}
          value={tab}
          options={tabs.map((value) => ({ value, label: t(`settings.tab.${value}`) }))}
          onChange={(next) => setParameter('tab', next === 'own' ? null : next)}
        />
        {tab === 'alerts' ? (
          <Alerts />
        ) : tab === 'history' ? (
          <SettingHistory />
        ) : (
          <Loaded query={settings}>
            {(data) =>
              tab === 'own' ? (
                <OwnSettings settings={data.changeable} />
              ) : tab === 'connections' ? (
                <Connections settings={data.changeable} />
              ) : (
                <EnvironmentTable settings={data} />
              )
            }
          </Loaded>
        )}
      </div>
    </>
  )
}
