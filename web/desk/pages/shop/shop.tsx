import { useQuery } from '@tanstack/react-query'
import { partNames } from '#contract/desk/choices'
import type { Part } from './content.parts.ts'
import { useSearchParameter } from '../../../state/search-parameter.ts'
import { useTranslation } from '../../../state/i18n.ts'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { query } from '../../state/api.ts'
import { BannerList } from './banners.tsx'
import { PartEditor } from './part-editor.tsx'
import styles from './shop.module.css'
import { VersionList } from './versions.tsx'

const tabs = [...partNames, 'banners', 'history'] as const

export function ShopPage() {
  const { t } = useTranslation('deskShop')
  const [search, setParameter] = useSearchParameter()
  const tab = tabs.find((each) => each === search.get('tab')) ?? 'brand'
  return (
    <>
      <PageHead title={t('shop.title')} />
      <div className={styles.page}>
        <div className={styles.tabs}>
          <Segmented
            label={t('shop.show')}
            value={tab}
            options={tabs.map((value) => ({ value, label: t(`shop.tab.${value}`) }))}
            onChange={(next) => setParameter('tab', next === 'brand' ? null : next)}
          />
        </div>
        {tab === 'banners' ? <BannerList /> : tab === 'history' ? <VersionList /> : <Texts part={tab} />}
      </div>
    </>
  )
}

function Texts({ part }: { part: Part }) {
  const content = useQuery(query('content', {}))
  return <Loaded query={content}>{(data) => <PartEditor key={part} part={part} content={data} />}</Loaded>
}
