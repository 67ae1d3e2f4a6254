/** Fields by which whoever is logged in shows once more who they are. */
export { SecondCode } from './SecondCode';
export { PayPasswordField, SuretyField } from './SuretyField';
