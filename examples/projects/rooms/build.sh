#!/bin/sh
# Compiles the service and runs its tests: ./build.sh [JARS] (the folder of JUnit's console launcher)
set -eu
cd "$(dirname "$0")"
jars=${1:-/usr/share/java}
java=${JAVA_HOME:+$JAVA_HOME/bin/}
junit=$jars/junit-platform-console-standalone.jar
mkdir -p build/classes build/tests
"${java}javac" -g --release 17 -encoding UTF-8 -d build/classes src/rooms/*.java
"${java}javac" -g --release 17 -encoding UTF-8 -cp "build/classes:$junit" -d build/tests test/rooms/*.java
exec "${java}java" -jar "$junit" -cp build/classes:build/tests --scan-classpath --disable-banner --details=tree
