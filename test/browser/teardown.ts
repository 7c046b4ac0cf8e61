/** The end of a run of Playwright. */
import { removeTemplate } from '../stack.template.ts'

export default removeTemplate
