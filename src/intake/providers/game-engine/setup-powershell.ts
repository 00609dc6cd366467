import type { Setup } from '../../setup.ts'

/** The same wrapper for Windows PowerShell 5.1 and PowerShell 7. */
export const enginePowerShell: Setup = ({
  token,
  base_url,
}) => String.raw`# Runs an Unreal or Unity build and tells Goldmaster how it goes:
#   powershell -File goldmaster-build.ps1 Engine\Build\BatchFiles\RunUAT.bat BuildCookRun -project=Game.uproject -cook -stage -package
#   powershell -File goldmaster-build.ps1 Unity.exe -batchmode -quit -projectPath . -executeMethod Build.All -logFile -
# Output and exit code of the build stay what they are, whether Goldmaster can be reached or not.
$base = '${base_url}'
$token = '${token}'

$ErrorActionPreference = 'Continue'
try { [Console]::OutputEncoding = [Text.Encoding]::UTF8 } catch { }
[Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12

function First { foreach ($value in $args) { if ($value) { return $value } } }

$command = $args[0]
$rest = @($args | Select-Object -Skip 1)
$engine = $env:GOLDMASTER_ENGINE
if (-not $engine) {
  $engine = switch -Regex -CaseSensitive ("$args") { 'RunUAT|Unreal' { 'unreal'; break } '[Uu]nity' { 'unity'; break } default { 'custom' } }
}
$about = @{
  engine = $engine
  job_name = First $env:GOLDMASTER_JOB $env:JOB_NAME $env:BUILDKITE_PIPELINE_SLUG $env:GITHUB_WORKFLOW $env:CI_JOB_NAME 'build'
  build_number = First $env:GOLDMASTER_NUMBER $env:BUILD_NUMBER $env:BUILDKITE_BUILD_NUMBER $env:GITHUB_RUN_NUMBER $env:CI_PIPELINE_IID (Get-Date -Format yyyyMMddHHmmss)
  platform = $env:GOLDMASTER_PLATFORM
  target_type = $env:GOLDMASTER_TARGET
  changelist = First $env:GOLDMASTER_CHANGELIST $env:P4_CHANGELIST
  commit = First $env:GOLDMASTER_COMMIT $env:GIT_COMMIT $env:BUILDKITE_COMMIT $env:GITHUB_SHA $env:CI_COMMIT_SHA
  branch = First $env:GOLDMASTER_BRANCH $env:GIT_BRANCH $env:BUILDKITE_BRANCH $env:GITHUB_REF_NAME $env:CI_COMMIT_BRANCH
}
$every = [int](First $env:GOLDMASTER_EVERY 10) # seconds between two reports of cooking progress

function Send([string]$name, [hashtable]$more = @{}, [int]$seconds = 10) {
  $post = $about + $more
  $post.timestamp = [DateTime]::UtcNow.ToString('s') + 'Z'
  $bytes = [Text.Encoding]::UTF8.GetBytes((ConvertTo-Json $post -Compress))
  $headers = @{}
  if ($env:GOLDMASTER_WEBHOOK_SECRET) {
    $mac = New-Object Security.Cryptography.HMACSHA256 -ArgumentList (, [Text.Encoding]::UTF8.GetBytes($env:GOLDMASTER_WEBHOOK_SECRET))
    $headers['X-Webhook-Signature'] = 'sha256=' + (-join ($mac.ComputeHash($bytes) | ForEach-Object { $_.ToString('x2') }))
  }
  $address = $base + '/webhooks/game_engine/' + $name + '?token=' + $token
  try {
    $null = Invoke-RestMethod -Method Post -Uri $address -Headers $headers -ContentType 'application/json' -Body $bytes -TimeoutSec $seconds
    return
  } catch {
    [Console]::Error.WriteLine('goldmaster: ' + $name + ' was not delivered: ' + $_.Exception.Message)
  }
}

$state = @{ cooking = $false; shaders = ''; packaging = $false; counts = $null; last = [DateTime]::MinValue; failed = $false; error = '' }
$log = New-Object Text.StringBuilder

function SendProgress {
  if ($state.counts) { Send 'asset_cooked' $state.counts }
  $state.counts = $null
}

function Follow([string]$line) {
  switch -Regex -CaseSensitive ($line) {
    'COOK COMMAND STARTED' {
      if (-not $state.cooking) { $state.cooking = $true; Send 'cooking_started' }
      return
    }
    'Cooked packages (\d+) Packages Remain \d+ Total (\d+)' {
      $state.counts = @{ cooked = [int]$Matches[1]; total = [int]$Matches[2] }
      if (([DateTime]::UtcNow - $state.last).TotalSeconds -ge $every) { $state.last = [DateTime]::UtcNow; SendProgress }
      return
    }
    'Shaders left to compile (\d+)' {
      $left = [int]$Matches[1]
      if ($state.shaders -eq '' -and $left -gt 0) { $state.shaders = 'open'; Send 'shaders_started' @{ shader_count = $left } }
      elseif ($state.shaders -eq 'open' -and $left -eq 0) { $state.shaders = 'done'; Send 'shaders_completed' }
      return
    }
    'COOK COMMAND COMPLETED' {
      SendProgress
      if ($state.shaders -eq 'open') { Send 'shaders_completed' }
      $state.shaders = 'done'
      return
    }
    '(STAGE|PACKAGE) COMMAND STARTED' {
      if (-not $state.packaging) { $state.packaging = $true; Send 'packaging_started' }
      return
    }
    # Unity can leave with 0 after a failed build: its log knows better.
    'Build Finished, Result: Fail|Error building Player|AutomationTool exiting with ExitCode=[1-9]' { $state.failed = $true }
    'AutomationTool exiting' { return }
    'Error: |ERROR: |error C[A-Z]*\d|Error building Player|Build Finished, Result: Fail|Aborting batchmode' {
      if (-not $state.error) { $state.error = $line }
      return
    }
  }
}

$began = Get-Date
& $command @rest 2>&1 | ForEach-Object {
  $line = "$_"
  [Console]::Out.WriteLine($line)
  $null = $log.Append($line).Append([char]10)
  if ($log.Length -gt 512000) { $null = $log.Remove(0, $log.Length - 256000) }
  Follow $line
}
$code = $LASTEXITCODE
# The command itself was not found.
if ($null -eq $code) { $code = 127 }

if ($log.Length -gt 256000) { $null = $log.Remove(0, $log.Length - 256000) }
$result = @{ logs_tail = $log.ToString(); duration_seconds = [int]((Get-Date) - $began).TotalSeconds }
if ($code -eq 0 -and -not $state.failed) {
  Send 'build_completed' $result 60
} else {
  $result.error = First $state.error "exit code $code"
  Send 'build_failed' $result 60
}
exit $code
`
