import type { ComponentType } from 'react'
import { Link } from 'react-router'
import { Dialog } from '../../ui/dialog.tsx'
import styles from './more-sheet.module.css'

interface MoreSheetProps {
  title: string
  closeLabel: string
  entries: readonly {
    href: string
    text: string
    icon: ComponentType<{ size?: number; strokeWidth?: number; 'aria-hidden'?: boolean | 'true' }>
    current: boolean
  }[]
  onClose: () => void
}

/** The tabs that do not fit into the bar of a phone. */
export function MoreSheet({ title, closeLabel, entries, onClose }: MoreSheetProps) {
  return (
    <Dialog open compact onClose={onClose} title={title} closeLabel={closeLabel}>
      <ul className={styles.entries}>
        {entries.map(({ href, text, icon: Icon, current }) => (
          <li key={href}>
            <Link
              to={href}
              className={styles.entry}
              aria-current={current ? 'page' : undefined}
              onClick={onClose}
            >
              <Icon size={22} strokeWidth={1.75} aria-hidden="true" />
              <span>{text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
