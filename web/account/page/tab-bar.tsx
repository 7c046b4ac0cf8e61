import Code from 'lucide-react/icons/code-xml'
import Activity from 'lucide-react/icons/activity'
import BarChart from 'lucide-react/icons/chart-no-axes-column'
import Ellipsis from 'lucide-react/icons/ellipsis'
import Gauge from 'lucide-react/icons/gauge'
import Key from 'lucide-react/icons/key-round'
import List from 'lucide-react/icons/list-tree'
import Plus from 'lucide-react/icons/plus'
import Receipt from 'lucide-react/icons/receipt-text'
import Shield from 'lucide-react/icons/shield-check'
import UserCog from 'lucide-react/icons/user-cog'
import Users from 'lucide-react/icons/users-round'
import { type ComponentType, Suspense, useState } from 'react'
import { Link } from 'react-router'
import { lazyPart } from '../../state/loading/code.ts'
import { useTranslation } from '../../state/i18n.ts'
import { classNames } from '../../ui/class-names.ts'
import styles from './tab-bar.module.css'
import { type Tab, tabHref } from '../tabs.ts'

type Icon = ComponentType<{ size?: number; strokeWidth?: number; 'aria-hidden'?: boolean | 'true' }>

const icons: Record<Tab, Icon> = {
  main: Gauge,
  panel: List,
  requests: Activity,
  statistic: BarChart,
  whitelist: Shield,
  proxyUsers: UserCog,
  invoices: Receipt,
  referal: Users,
  changePass: Key,
  resell: Code,
}

/** On phones the bar has room for the primary tabs only; the others are in the sheet «more». */
const primary: readonly Tab[] = ['main', 'panel', 'statistic']
const secondary: readonly Tab[] = [
  'requests',
  'whitelist',
  'proxyUsers',
  'invoices',
  'referal',
  'changePass',
  'resell',
]

const MoreSheet = lazyPart(async () => (await import('./more-sheet.tsx')).MoreSheet)

/** The tabs: a row above the title, on phones a bar at the bottom of the screen. */
export function TabBar({ tab, showPanel }: { tab: Tab; showPanel: boolean }) {
  const { t } = useTranslation('userBtns')
  const shown = primary.filter((each) => each !== 'panel' || showPanel || tab === 'panel')
  const entry = (each: Tab, isSecondary: boolean) => {
    const EntryIcon = icons[each]
    return (
      <Link
        key={each}
        to={tabHref(each)}
        className={classNames(styles.tab, isSecondary && styles.secondary)}
        aria-current={each === tab ? 'page' : undefined}
      >
        <EntryIcon size={20} strokeWidth={1.75} aria-hidden="true" />
        <span>{t(`tab.${each}`)}</span>
      </Link>
    )
  }
  return (
    <nav className={styles.bar} aria-label={t('tabs')}>
      {shown.map((each) => entry(each, false))}
      {secondary.map((each) => entry(each, true))}
      <Link to="/purchase" className={classNames(styles.tab, styles.buy)}>
        <Plus size={20} strokeWidth={1.75} aria-hidden="true" />
        <span>{t('buy')}</span>
      </Link>
      <MoreButton tab={tab} />
    </nav>
  )
}

/** On phones: opens the sheet with the secondary tabs. */
function MoreButton({ tab }: { tab: Tab }) {
  const { t } = useTranslation('userBtns')
  const [open, setOpen] = useState(false)
  const isHere = secondary.includes(tab)
  return (
    <>
      <button
        type="button"
        className={classNames(styles.tab, styles.more)}
        aria-haspopup="dialog"
        aria-expanded={open}
        data-here={isHere || undefined}
        onClick={() => setOpen(true)}
      >
        <Ellipsis size={20} strokeWidth={1.75} aria-hidden="true" />
        <span>{t('more')}</span>
      </button>
      {open && (
        <Suspense fallback={null}>
          <MoreSheet
            title={t('more')}
            closeLabel={t('closeMore')}
            entries={secondary.map((each) => ({
              href: tabHref(each),
              text: t(`title.${each}`),
              icon: icons[each],
              current: each === tab,
            }))}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}
