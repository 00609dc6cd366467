// A step of a shared library that builds and tells Goldmaster of it. In a Jenkinsfile:
//
//   goldmasterRun(host: 'https://gold.example', tests: ['Saved/Reports/**/*.xml'], artifacts: ['Saved/**/*.pak'], run: './build.sh')
//
// The token is a credential of the kind "Secret text" with the id `goldmaster`, from an integration of the kind "Jenkins or any CI".
// Where that integration has a signing secret, save it as a "Secret text" too and name it: secretCredentialsId: 'goldmaster-secret'.
// The agent needs Node 20.19 or newer. Its lines for sh and bat are tried by our tests, those for bat on Wine; Groovy is not.
def call(Map options) {
  def host = options.host
  def flags = (options.tests ?: []).collect { "--tests \"${it}\"" }
  flags += (options.artifacts ?: []).collect { "--artifact \"${it}\"" }
  if (options.job) flags << "--job \"${options.job}\""
  def credentials = [string(credentialsId: options.credentialsId ?: 'goldmaster', variable: 'GOLDMASTER_WEBHOOK_TOKEN')]
  if (options.secretCredentialsId) credentials << string(credentialsId: options.secretCredentialsId, variable: 'GOLDMASTER_WEBHOOK_SECRET')
  withCredentials(credentials) {
    withEnv(["GOLDMASTER_HOST=${host}"]) {
      if (isUnix()) {
        writeFile file: '.goldmaster-build.sh', text: options.run
        // Without the service the build still runs.
        sh """
          if curl -fsS --max-time 30 --retry 3 -o .goldmaster-run.mjs '${host}/goldmaster-run.mjs'; then
            exec node .goldmaster-run.mjs run ${flags.join(' ')} -- sh -e .goldmaster-build.sh
          fi
          exec sh -e .goldmaster-build.sh
        """
      } else {
        writeFile file: '.goldmaster-build.bat', text: options.run
        bat """
          @echo off
          curl -fsS --max-time 30 --retry 3 -o .goldmaster-run.mjs "${host}/goldmaster-run.mjs"
          if errorlevel 1 (
            call .goldmaster-build.bat
          ) else (
            node .goldmaster-run.mjs run ${flags.join(' ')} -- .goldmaster-build.bat
          )
        """
      }
    }
  }
}
