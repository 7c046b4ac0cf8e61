import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { Link } from 'react-router'
import styles from './button.module.css'
import { classes } from './classes.ts'

interface ButtonProps extends Omit<ComponentProps<'button'>, 'ref'> {
  /** `paint` is the way on: at most one in view. `plain` is an act beside it, `quiet` is barely there. */
  variant?: 'paint' | 'plain' | 'quiet'
  size?: 'medium' | 'large' | 'small'
  /** The button shows its own progress, keeps its width and its name, and ignores presses. */
  pending?: boolean
  /** Makes it a link: within the app when it starts with `/`, else to another site in a new tab. */
  href?: string
  icon?: ReactNode
  /** Fills the width it is given. */
  wide?: boolean
  ref?: React.Ref<HTMLButtonElement>
}

export function Button(props: ButtonProps) {
  const {
    variant = 'plain',
    size = 'medium',
    pending = false,
    href,
    icon,
    wide,
    className,
    children,
    onClick,
    ...rest
  } = props
  const names = classes(styles.button, styles[variant], styles[size], wide && styles.wide, className)
  const content = (
    <>
      <span className={styles.content}>
        {icon}
        {children}
      </span>
      {pending && <span className={styles.progress} aria-hidden="true" />}
    </>
  )
  if (href !== undefined)
    return <ButtonLink href={href} className={names} label={rest['aria-label']} content={content} />
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    // Not `disabled`: a pending button keeps the focus, and Enter in a form comes through here as a click.
    if (pending) event.preventDefault()
    else onClick?.(event)
  }
  return (
    <button
      type="button"
      {...rest}
      className={names}
      onClick={press}
      aria-busy={pending || undefined}
      aria-disabled={pending || undefined}
    >
      {content}
    </button>
  )
}

function ButtonLink(props: {
  href: string
  className: string
  label: string | undefined
  content: ReactNode
}) {
  const { href, className, label, content } = props
  const name = label === undefined ? {} : { 'aria-label': label }
  if (href.startsWith('/')) {
    return (
      <Link to={href} className={className} {...name}>
        {content}
      </Link>
    )
  }
  return (
    <a href={href} className={className} target="_blank" rel="noreferrer" {...name}>
      {content}
    </a>
  )
}
